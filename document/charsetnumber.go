package document

import "slices"

// usualCharsets are the charsets that Rules.Charset may have, by their numbers less one. Databases have the numbers stored: names are
// only added, at the end, and there are at most 63.
var usualCharsets = []string{
	"utf-8", "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-8-i",
	"iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh", "windows-874",
	"windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257",
	"windows-1258", "x-mac-cyrillic", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr",
}

// CharsetNumber returns the number of a charset by its WHATWG name, 0 for none.
func CharsetNumber(name string) int { return slices.Index(usualCharsets, name) + 1 }

// charsetOf returns the name of a number, empty for none.
func charsetOf(number int) string {
	if number < 1 || number > len(usualCharsets) {
		return ""
	}
	return usualCharsets[number-1]
}
