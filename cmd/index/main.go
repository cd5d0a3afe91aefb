// Command index is the operator's program: it crawls, merges, and answers questions about the index.
package main

import (
	"os"

	"github.com/pgseek/pgseek/cmd/index/program"
)

func main() { os.Exit(program.Main()) }
