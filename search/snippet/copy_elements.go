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

// copyStyle is the style of a copy, with the names of colors that style.css of searchd has, so that the look of a site replaces
// them. The colors of marks have a contrast of more than 7 to black.
const copyStyle = `:root{color-scheme:light dark;--paper:#fbfaf6;--panel:#f2f0e8;--line:#dedacd;--edge:#7f8380;--ink:#22272b;--soft:#5a6165;--link:#0d4f52;--visited:#664377}
@media(prefers-color-scheme:dark){:root{--paper:#14181a;--panel:#1d2326;--line:#30383b;--edge:#6f797d;--ink:#dfe0dc;--soft:#a0a8ab;--link:#8fd0cc;--visited:#cbb4de}}
html{background:var(--paper);color:var(--ink)}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
.copy,main{padding:.6rem max(1rem,50% - 26rem)}
.copy{margin-bottom:1rem;border-bottom:1px solid var(--line);background:var(--panel);font-size:.9rem}
.copy p{margin:.25rem 0}.copy .name{font:700 1.15rem ui-monospace,monospace;color:var(--ink);text-decoration:none;margin-right:1rem}
.logo{max-height:2.2rem;max-width:16rem;vertical-align:middle}
a{color:var(--link)}a:visited{color:var(--visited)}
main{padding-bottom:3rem}
hr{border:0;border-top:1px solid var(--line);margin:2rem 0}
.alt{font-style:italic;color:var(--soft)}
pre{white-space:pre-wrap;font-size:.92rem}
.prose{font:inherit}
table{border-collapse:collapse}
td,th{padding:.125rem .5rem;border:1px solid var(--edge);text-align:left;vertical-align:top}
mark{color:#000;border-radius:2px}
.t0{background:#fe8}.t1{background:#9ef}.t2{background:#bf9}.t3{background:#fbe}
.t4{background:#fc9}.t5{background:#ccf}.t6{background:#9fd}.t7{background:#ddd}
`
