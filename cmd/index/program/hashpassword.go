package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pgseek/pgseek/internal/password"
	"golang.org/x/term"
)

// hashPassword is --hash-password: it reads a password, twice from a terminal and else the first line of the standard input, and
// prints the line of spider.cnf with its hash.
func (p *program) hashPassword(context.Context) error {
	word, err := p.readPassword()
	if err != nil {
		return err
	}
	hash, err := password.Hash(word)
	if err != nil {
		return usageError(err.Error())
	}
	fmt.Fprintf(p.out, "AdminPassword %s\n", hash)
	return nil
}

func (p *program) readPassword() (string, error) {
	f, ok := p.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(p.in, 1000)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var words [2][]byte
	for i, prompt := range []string{"Password: ", "Once more: "} {
		fmt.Fprint(p.errOut, prompt)
		var err error
		words[i], err = term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(p.errOut)
		if err != nil {
			return "", err
		}
	}
	if !bytes.Equal(words[0], words[1]) {
		return "", usageError("the two passwords differ")
	}
	return string(words[0]), nil
}
