package foreign

// carriedRules have the directives that are here as well, with the same meaning.
var carriedRules = []rule{
	{names: "Period", in: all, here: "`Period`; a time without blanks and without +", do: timeValue("Period")},
	{names: "Tag", in: aspseek, here: "`Tag`", do: carry("Tag")},
	{names: "MaxHops", in: all, here: "`MaxHops`, at most 32767", do: maxHops},
	{names: "MaxURLsPerServer", in: aspseek, here: "`MaxURLsPerServer`", do: carry("MaxURLsPerServer")},
	{names: "MaxURLsPerServerPerIndex", in: aspseek, here: "`MaxURLsPerServerPerIndex`", do: carry("MaxURLsPerServerPerIndex")},
	{names: "MinDelay", in: aspseek, here: "`MinDelay`; a time without blanks", do: timeValue("MinDelay")},
	{names: "Index", in: all, here: "`Index`", do: yesNo("Index", false)},
	{names: "Follow", in: all, here: "`Follow`, yes or no", do: yesNo("Follow", false)},
	{names: "FollowOutside", in: all, here: "`FollowOutside`", do: yesNo("FollowOutside", false)},
	{names: "DeleteBad", in: aspseek | mnogo, here: "`DeleteBad`; without it a document that is gone is removed after `LostLimit` visits", do: yesNo("DeleteBad", false)},
	{names: "Replace", in: aspseek, here: "`Replace`", do: replace},
	{names: "AuthBasic", in: all, here: "`AuthBasic`, for the next `Server` only. The file is made readable to its owner alone", do: authBasic},
	{names: "Clones", in: aspseek, here: "`Clones` (spider.cnf)", spider: true, do: yesNo("Clones", true)},
	{names: "MinWordLength", in: all, here: "`MinWordLength` (spider.cnf)", spider: true, do: carrySpider("MinWordLength")},
	{names: "MaxWordLength", in: all, here: "`MaxWordLength` (spider.cnf), at most 32", spider: true, do: carrySpider("MaxWordLength")},
	{names: "MaxBandwidth", in: aspseek, here: "`MaxBandwidth` (spider.cnf), from 10 KB a second on", spider: true, do: carrySpider("MaxBandwidth")},
	{names: "HTTPHeader", in: all, here: "`HTTPHeader` (spider.cnf); User-Agent is `UserAgent` there", spider: true, do: header},
	{names: "Include", in: all, here: "the file is followed, and its lines stand in its place", do: func(_ *importer, e *entry, _ *rule) {
		e.outcome, e.why = Changed, "the lines of the file follow"
	}},
}

// changedRules have the directives that are here with another name, place or form.
var changedRules = []rule{
	{
		names: "Server", in: aspseek, do: serverASPseek,
		here: "`Server`; `Server site` when the URL names a directory, because the whole site is in scope all the same. " +
			"`AllowHost` (spider.cnf) for hosts of one's own network",
	},
	{
		names: "Server", in: both, do: serverMnogo,
		here: "`Server path` for a directory, `Server site`, `MaxHops 0` above `Server path` for page, `FollowOutside yes` for world; " +
			"Disallow and CheckOnly are lines of their own, HrefOnly is `Index no` above the line. An alias is left out",
	},
	{
		names: "Realm", in: both, do: realm,
		here: "`FollowOutside yes` and one `DisallowNoMatch` line with the patterns of all Realm and Server lines; `Disallow` and `CheckOnly` for these methods",
	},
	{names: "URL", in: both, here: "`Server` with this URL, another start URL", do: startURL},
	{names: "Allow Disallow CheckOnly", in: aspseek, here: "the same. Patterns are RE2; what only POSIX has is rewritten. " +
		"Patterns such as `\\.gif$` come first where the order of lines decides", do: filterASPseek},
	{names: "AllowNoMatch DisallowNoMatch CheckOnlyNoMatch", in: aspseek, here: "the same", do: filterASPseek},
	{names: "Allow Disallow CheckOnly", in: both, here: "the same, with regular expressions: `*.gif` is `\\.gif$`, Case is `(?-i)`, NoMatch is `DisallowNoMatch`", do: filterMnogo},
	{names: "NoIndex", in: aspseek, here: "`Index no`", do: opposite("Index")},
	{names: "NoFollow", in: aspseek, here: "`Follow no`", do: opposite("Follow")},
	{names: "Robots", in: all, here: "`Robots yes`, and for no `IgnoreMeta yes`. `Robots no` is for hosts of one's own: write it above their `Server` line, and `AllowHost` in spider.cnf", do: robots},
	{names: "Charset", in: aspseek, here: "`Charset`", do: carry("Charset")},
	{names: "RemoteCharset CharSet", in: both, here: "`Charset`", do: carry("Charset")},
	{names: "MaxDocsPerServer", in: aspseek | datapark, here: "`MaxURLsPerServerPerIndex`", do: carry("MaxURLsPerServerPerIndex")},
	{names: "MaxDocPerSite MaxDocsPerSite", in: both, here: "`MaxURLsPerServerPerIndex`", do: carry("MaxURLsPerServerPerIndex")},
	{names: "CrawlDelay", in: both, here: "`MinDelay`", do: timeValue("MinDelay")},
	{names: "Tag", in: both, here: "`Tag` with a number for each text; table `subsets` groups documents by their URLs", do: tag},
	{names: "ReverseAlias", in: both, here: "`Replace`, with a regular expression", do: reverseAlias},
	{names: "UseSitemap Sitemaps", in: both, here: "`Sitemap`, yes or no", do: yesNo("Sitemap", false)},
	{names: "Converter", in: aspseek, here: "`Converter`; no shell reads the command", do: converter},
	{names: "Mime", in: both, here: "`Converter`; `$1` is `$in`, `$2` is `$out`, and what needs a shell is `sh -c`", do: mime},
	{names: "MaxDocSize", in: all, here: "`MaxTextSize` (spider.cnf); `MaxOtherSize` is for what is converted", spider: true, do: carrySpider("MaxTextSize")},
	{names: "IndexDocSizeLimit", in: datapark, here: "`IndexLimit` (spider.cnf)", spider: true, do: carrySpider("IndexLimit")},
	{names: "ReadTimeOut", in: aspseek, here: "`ReadTimeOut` (spider.cnf), one for all servers", spider: true, do: timeSpider("ReadTimeOut")},
	{names: "DocTimeOut", in: both, here: "`ReadTimeOut` (spider.cnf), one for all servers", spider: true, do: timeSpider("ReadTimeOut")},
	{names: "ParserTimeOut", in: both, here: "`ConvertTimeOut` (spider.cnf)", spider: true, do: timeSpider("ConvertTimeOut")},
	{names: "DetectClones", in: both, here: "`Clones` (spider.cnf), for all servers; yes without a line", spider: true, do: yesNo("Clones", true)},
	{names: "CrawlerThreads", in: mnogo, here: "`Threads` (spider.cnf)", spider: true, do: carrySpider("Threads")},
	{names: "RobotsPeriod", in: datapark, here: "`RobotsTTL` (spider.cnf), at most a day", spider: true, do: robotsPeriod},
	{names: "StopwordFile", in: aspseek, here: "`StopwordFile` (spider.cnf) for files in UTF-8. Without one phrases of common words can be found, and searches leave stop words out by themselves", spider: true, do: stopwords},
}
