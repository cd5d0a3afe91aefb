package config

import (
	"path"
	"slices"
	"strings"
)

// setFileRoots reads a FileRoot line: directories below which file URLs are read.
func setFileRoots(s *Spider, d directive) error {
	if len(d.args) == 0 {
		return reasonf("a value is missing")
	}
	for _, a := range d.args {
		root := path.Clean(a)
		if !path.IsAbs(a) || strings.ContainsRune(a, 0) {
			return reasonf("%s is not the full path of a directory such as /srv/docs", quote(a))
		}
		for _, no := range []string{"/", "/dev", "/proc", "/sys"} {
			if root == no || no != "/" && strings.HasPrefix(root, no+"/") {
				return reasonf("%s is not a place for documents; name a directory such as /srv/docs", quote(a))
			}
		}
		if !slices.Contains(s.FileRoots, root) {
			s.FileRoots = append(s.FileRoots, root)
		}
	}
	return nil
}

// fileListing reads the value of FileListing.
func fileListing(s string) (bool, error) {
	word, err := choice("follow", "index")(s)
	return word == "index", err
}

// fileURL checks a file URL of a Server line: file:///path, without a host. FileRoot is compared with it when all files are read.
func fileURL(raw string) (url, login string, err error) {
	rest := raw[len("file:"):]
	if !strings.HasPrefix(rest, "///") {
		return "", "", reasonf("%s is not a file URL such as file:///srv/docs/", quote(raw))
	}
	return raw, "", nil
}
