package config

import (
	"regexp"
	"slices"
	"strings"
)

// skippedExtensions is the default of SkipExtensions: images, media, archives, programs and what pages are decorated with.
const skippedExtensions = "avif bmp gif heic ico jpeg jpg png psd svg tif tiff webp aac avi flac flv m4a m4v mid mkv mov mp3 mp4 mpeg mpg oga ogg ogv " +
	"opus wav webm wma wmv 7z bz2 cab lz rar tar tar.gz tbz2 tgz txz xz z zip zst apk bin class deb dll dmg exe img iso jar msi o pyc rpm so war " +
	"css eot js map mjs otf ttf woff woff2"

// extensionText is an extension without its dot; some have two parts.
var extensionText = regexp.MustCompile(`^[a-z0-9]+(\.[a-z0-9]+)?$`)

// skipExtensions reads a SkipExtensions line. The first line of a file replaces the default, and further ones add to it.
func (r *setsReader) skipExtensions(d directive) error {
	if len(d.args) == 0 {
		return reasonf("a value is missing; write none to leave nothing out")
	}
	none := len(d.args) == 1 && strings.EqualFold(d.args[0], "none")
	var list []string
	for _, arg := range d.args {
		extension := strings.ToLower(strings.TrimPrefix(arg, "."))
		if !extensionText.MatchString(extension) {
			return reasonf("%s is no extension: letters and digits, as in png or tar.gz", quote(arg))
		}
		if extension == "none" && !none {
			return reasonf("none stands alone")
		}
		list = append(list, extension)
	}
	if none {
		list = nil
	}
	if d.file != "" && !r.skips {
		r.skips, r.sets.SkipExtensions = true, nil
	}
	r.sets.SkipExtensions = append(r.sets.SkipExtensions, list...)
	slices.Sort(r.sets.SkipExtensions)
	r.sets.SkipExtensions = slices.Compact(r.sets.SkipExtensions)
	return nil
}

// defaultExtensions reports whether a list is the default.
func defaultExtensions(list []string) bool { return slices.Equal(standardExtensions(), list) }

func standardExtensions() []string {
	return slices.Sorted(slices.Values(strings.Fields(skippedExtensions)))
}
