package config

import "strings"

// elsewhere has the keywords of ASPseek and mnoGoSearch, in lower case, that have another name here or none, with what to do.
var elsewhere = func() map[string]string {
	all := map[string]string{
		"maxdocsize":        "write MaxTextSize in spider.cnf, or MaxOtherSize for documents that are converted",
		"dbworddir":         "write DataDir in spider.cnf",
		"maxdocsperserver":  "write: MaxURLsPerServerPerIndex",
		"maxdocsatonce":     "delete the line; HostLoad says how many requests a host gets at once",
		"deletenoserver":    "delete the line; documents that no Server line covers leave the index",
		"redirectlooplimit": "delete the line; a chain of redirects ends after 8",
		"noindex":           "write: Index no",
		"nofollow":          "write: Follow no",
		"hrefonly":          "write Index no above a Server line of its own for these URLs",
		"proxy":             "delete the line; proxies are not supported",
		"addtype":           "delete the line; a type that the server does not name is told from the extension and the content",
		"mime":              "write: Converter from/type to/type command $in",
		"realm":             "write Allow and Disallow lines with patterns",
		"crawldelay":        "write: MinDelay",
		"remotecharset":     "write: Charset",
		"port":              "write: Listen 127.0.0.1:12345, in searchd.conf",
		"allowfrom":         "delete the line; Listen says which addresses of this machine answer, and a reverse proxy or firewall who may ask",
		"maxthreads":        "write: MaxSearches 16, in searchd.conf",
	}
	add := func(names, what string) {
		for name := range strings.FieldsSeq(strings.ToLower(names)) {
			all[name] = what
		}
	}
	add("DBType DBHost DBName DBUser DBPass DBPort", "write in spider.cnf: DBAddr postgres://user:password@host/name")
	add("DeltaBufferSize UrlBufferSize WordCacheSize HrefCacheSize NextDocLimit HiByteFirst UtfStorage "+
		"DBLibDir AddressExpiry CharsetTable CharsetTableU1 CharsetTableU2 CharsetAlias LocalCharset Dictionary2 LangMap "+
		"IncrementHopsOnRedirect MirrorRoot MirrorHeadersRoot MirrorPeriod MaxNetErrors IspellCorrectFactor IspellIncorrectFactor NumberFactor AlnumFactor",
		"delete the line; no setting takes its place")
	add("MultipleDBConnections Cache CacheLocalSize CachedUrls", "delete the line; each search has a connection while it runs, and words and documents are kept in memory")
	add("Affix Spell", "delete the line; WordForms names languages whose rules are in the program")
	add("Countries AllowCountries OnlineGeo", "delete the line; filters by country are not supported")
	add("HTDBList HTDBDoc HTDBAddr", "delete the line; tables of other databases are not indexed")
	return all
}()

// Foreign returns a file that seems to be of ASPseek or mnoGoSearch, "" if none is: it has at least two of their keywords.
func (es Errors) Foreign() string {
	count := map[string]int{}
	for _, e := range es {
		if elsewhere[strings.ToLower(e.Keyword)] == "" || !strings.HasPrefix(e.Reason, "unknown keyword") {
			continue
		}
		if count[e.File]++; count[e.File] == 2 {
			return e.File
		}
	}
	return ""
}
