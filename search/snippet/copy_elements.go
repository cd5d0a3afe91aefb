package snippet

import "strings"

// copied maps the elements that a copy keeps to those that it writes. None of them loads, sends or runs
// anything, or contains text that is parsed in a special way, so browsers read exactly what is written.
// <main> and <mark> are used by the copy itself.
var copied = func() map[string]string {
	m := map[string]string{
		"main": "div", "xmp": "pre", "listing": "pre", "plaintext": "pre", "textarea": "pre", "acronym": "abbr", "center": "div", "dir": "ul",
		"strike": "s", "tt": "code", "big": "b",
	}
	for name := range strings.FieldsSeq(`a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del
		details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li menu nav ol p pre q rp rt ruby s
		samp section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr`) {
		m[name] = name
	}
	return m
}()

// voids are the elements of copied without an end tag.
var voids = map[string]bool{"br": true, "col": true, "hr": true, "wbr": true}

// copyStyle is the only style of a copy, and copyStyleHash its SHA-256 in base64, which CopyPolicy allows.
// The colors of marks have a contrast of more than 7 to black.
const copyStyle = `:root{color-scheme:light dark}
body{margin:0 auto;max-width:60rem;padding:0 1rem 2rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
.copy{margin:0 -1rem 1.5rem;padding:.5rem 1rem;border-bottom:1px solid #dedacd;background:#f2f0e8;color:#22272b;font-size:.9rem}
.copy p{margin:.25rem 0}.copy a{color:#0d4f52}.copy .name{font-weight:700;margin-right:1rem}
@media(prefers-color-scheme:dark){.copy{background:#1d2326;color:#dfe0dc;border-color:#30383b}.copy a{color:#8fd0cc}}
.alt{font-style:italic}
pre{white-space:pre-wrap}
table{border-collapse:collapse}
td,th{padding:.125rem .5rem;border:1px solid #888;text-align:left;vertical-align:top}
mark{color:#000}
.t0{background:#fe8}.t1{background:#9ef}.t2{background:#bf9}.t3{background:#fbe}
.t4{background:#fc9}.t5{background:#ccf}.t6{background:#9fd}.t7{background:#ddd}
`

const copyStyleHash = "yAoYeGgcNhadF7+BQq3sAO6p7eO8ErK4l/TnvY9YgOQ="
