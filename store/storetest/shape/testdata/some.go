// Package some has statements for TestTexts.
package some

import (
	"strings"

	"github.com/pgseek/pgseek/store"
)

const columns = `url_id, url`

func in(list ...string) string { return `w.url_id IN (` + strings.Join(list, `, `) + `)` }

func at(id string) string {
	const hops = ` AND w.hops = 0 AND `
	return `w.url_id = ` + id + hops
}

var bothSQL = `SELECT /* store.Both */ ` + columns + `
	FROM urlword w WHERE ` + at("$7") + in("1", "2")

var eachSQL = store.PerTable(`DELETE /* store.Each */ FROM urlwordsNN WHERE url_id = $1`)

const forgotten = `SELECT pace FROM urlstate`

// Do runs a statement that is not constant.
func Do(where string, run func(string)) {
	run(`UPDATE /* store.Do */ urlword SET hops = 1 WHERE ` + where)
}
