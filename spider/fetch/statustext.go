package fetch

// statusTexts name the extended statuses beyond HTTP's.
var statusTexts = map[int]string{
	600: "No or malformed status line",
	601: "No usable content type",
	602: "Redirect without usable Location",
	603: "Header too large",
	604: "Bad Content-Length or Transfer-Encoding",
	605: "Unexpected 304",
	606: "Malformed header line",
	700: "Host unknown",
	701: "DNS failure",
	702: "Connection refused",
	703: "Connect timeout",
	704: "Read timeout",
	705: "Connection reset or closed",
	706: "TLS failure",
	707: "Unreachable",
	708: "Proxy failure",
	800: "No converter for the type",
	801: "Conversion failed",
	802: "Broken content encoding",
	804: "Too large",
	805: "Cannot be parsed",
	806: "Broken archive",
	807: "The account of index may not read it",
	900: "Forbidden by robots.txt",
	901: "Refused by the configuration",
	902: "robots.txt out of reach",
	903: "Duplicate of many",
	904: "Its pattern is paused",
	905: "Not found, answered with 200",
	906: "Another page is the canonical one",
	908: "Others may not read it",
	909: "Neither file nor directory, or outside every FileRoot",
}

// StatusText names an extended status from 600 on; empty for the others.
func StatusText(status int) string { return statusTexts[status] }
