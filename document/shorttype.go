package document

import "strings"

// shortTypes are the names of content types whose subtype is not what people call them.
var shortTypes = map[string]string{
	"application/xhtml+xml": "html", "text/plain": "text",
	"application/msword": "doc", "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "docx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "xlsx",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
	"application/vnd.oasis.opendocument.text":                                   "odt",
	"application/epub+zip": "epub",
}

// typeAliases are other names of types, most of them extensions of file names.
var typeAliases = map[string]string{
	"htm": "html", "shtml": "html", "xhtml": "html", "xht": "html", "txt": "text", "plain": "text", "md": "markdown", "js": "javascript",
	"jpg": "jpeg",
}

// ShortType returns the short name of a content type, with or without parameters: html for text/html and
// application/xhtml+xml, text for text/plain, docx and the like for types of office programs, and otherwise the subtype
// without x- and +xml. It is empty for an empty type.
func ShortType(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	if short, ok := shortTypes[name]; ok {
		return short
	}
	_, sub, _ := strings.Cut(name, "/")
	return TypeNamed(strings.TrimSuffix(strings.TrimPrefix(sub, "x-"), "+xml"))
}

// TypeNamed returns the short name of a type that somebody wrote: htm and HTML are html, txt is text.
func TypeNamed(name string) string {
	name = strings.ToLower(name)
	if short, ok := typeAliases[name]; ok {
		return short
	}
	return name
}
