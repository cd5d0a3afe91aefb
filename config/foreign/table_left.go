package foreign

// leftOutRules have the directives that have no counterpart.
var leftOutRules = []rule{
	{
		names: "DBAddr", in: all, spider: true,
		here: "no counterpart for this database: pgseek has tables of its own in PostgreSQL. Without a line `index` starts a private server; " +
			"for another one write `DBAddr postgres://user@host/database` in spider.cnf, with the password in the environment (PGSEEK_DBADDR) or in ~/.pgpass",
	},
	{names: "DBType DBHost DBName DBUser DBPass DBPort DBMode DBLibDir", in: all, spider: true, here: "`DBAddr` (spider.cnf), for a PostgreSQL database of its own"},
	{names: "DataDir DBWordDir", in: aspseek, spider: true, here: "`DataDir` (spider.cnf) is the directory of the private database server; name an empty one"},
	{names: "VarDir", in: both, spider: true, here: "`DataDir` (spider.cnf) is the directory of the private database server; name an empty one"},
	{names: "DebugLevel", in: aspseek, spider: true, here: "`index -v` logs each URL"},
	{names: "LogLevel LogFlags Log2stderr SyslogFacility CustomLog", in: both, spider: true, here: "the log is standard error, or the file of `-r`; `-v` logs each URL"},
	{
		names: "DeltaBufferSize UrlBufferSize WordCacheSize HrefCacheSize NextDocLimit HiByteFirst UtfStorage CompactStorage IncrementalCitations",
		in:    aspseek, spider: true, here: "no counterpart: the index is in PostgreSQL. `MergeMemory` (spider.cnf) bounds the memory of a merge",
	},
	{names: "WordCacheSize URLSelectCacheSize URLSelectSkipLock URLDataThreshold", in: mnogo, spider: true, here: "no counterpart; `MergeMemory` (spider.cnf) bounds the memory of a merge, `BatchSize` the URLs that a worker takes"},
	{
		names: "URLSelectCacheSize URLDumpCacheSize CacheLogWords CacheLogDels WrdFiles URLDataFiles StoredFiles OldWrdFiles OldURLDataFiles OldStoredFiles " +
			"OptimizeInterval OptimizeRatio OptimizeAtUpdate PreloadURLData PreloadLimit DocMemCacheSize ColdVar LogsOnly Listen MaxClients HoldCache " +
			"MarkForIndex CheckInsertSQL UseCRC32URLId FastHrefCheck NumSections Bind Socket FillDictionary",
		in: datapark, spider: true, here: "no counterpart: the index is in PostgreSQL",
	},
	{names: "CharsetTable CharsetAlias CharsetTableU1 CharsetTableU2 Dictionary2 LangMap", in: aspseek, spider: true, here: "no counterpart: the charsets of browsers are known, and texts are stored in UTF-8"},
	{names: "LocalCharset BrowserCharset URLCharset RemoteFileNameCharset ForceIISCharset1251 Charsets CaseFolding", in: both, spider: true, here: "no counterpart: the charsets of browsers are known, and texts are stored in UTF-8. `Charset` is for pages that declare none"},
	{names: "LangMapFile LangMapUpdate GuesserUseMeta GuesserBytes DefaultLang VaryLang", in: both, here: "no counterpart: the language is found from the text. `HTTPHeader Accept-Language: de` (spider.cnf) asks for one"},
	{names: "LoadChineseList LoadThaiList LoadKoreanList ResegmentChinese ResegmentJapanese ResegmentKorean ResegmentThai SEASections SEASentences SEASentenceMinLength", in: both, spider: true, here: "no counterpart: texts without blanks are cut by the program's own rules"},
	{names: "StopwordFile StopwordsFile StopwordsLoose", in: both, spider: true, here: "`StopwordFile language file` (spider.cnf), with words alone in UTF-8. Searches leave stop words of many languages out by themselves"},
	{names: "Affix Spell Synonym Acronym Quffix Ispell ComplexSynonyms SuffixFile", in: both, spider: true, here: "`WordForms` and `SynonymFile` in searchd.conf"},
	{names: "AccentExtensions AspellExtensions MakePrefixes MakeSuffixes StripAccents Dehyphenate SubstringMatchMinWordLength UseNumericOperators UseRangeOperators", in: both, spider: true, here: "no counterpart: the rules of words are those of the program; spellings and accents are found by searches"},
	{names: "DeleteNoServer", in: all, here: "no counterpart: documents that no `Server` line covers leave the index"},
	{names: "AddressExpiry", in: aspseek, spider: true, here: "no counterpart: the operating system's resolver decides"},
	{names: "Countries AllowCountries OnlineGeo", in: aspseek, here: "no counterpart: URLs are not chosen by country"},
	{names: "IncrementHopsOnRedirect RedirectLoopLimit", in: aspseek, here: "no counterpart: the target of a redirect is one hop farther, and a chain ends after 8"},
	{names: "MaxDocsAtOnce", in: aspseek, here: "`HostLoad` says how many requests a host gets at once"},
	{names: "Proxy", in: all, spider: true, here: "no counterpart: proxies are not supported"},
	{names: "ProxyAuthBasic", in: both, spider: true, here: "no counterpart: proxies are not supported"},
	{names: "AddType UseRemoteContentType DefaultContentType AddEncoding", in: all, here: "no counterpart: a type that the server does not name is told from the extension and the content"},
	{names: "Alias AliasProg ReverseAliasProg", in: all, here: "no counterpart: documents are shown with the URLs from which they were read"},
	{names: "MirrorRoot MirrorHeadersRoot MirrorPeriod", in: all, here: "no counterpart: the index has the contents of all documents"},
	{names: "MaxNetErrors NetErrorDelayTime", in: all, here: "no counterpart: after an error the next visit waits longer each time, and a site that fails is held"},
	{names: "HoldBadHrefs ExpireAt DeleteOlder", in: both, spider: true, here: "`LostLimit` and `LostPeriod` (spider.cnf): a document that is gone stays for some visits"},
	{names: "IspellCorrectFactor IspellIncorrectFactor NumberFactor AlnumFactor", in: all, here: "no counterpart: `Ranking` in searchd.conf"},
	{names: "HTDBList HTDBDoc HTDBAddr HTDBText HTDBLimit", in: all, here: "no counterpart: tables of other databases are not indexed"},
	{names: "LogdAddr", in: mnogo, spider: true, here: "no counterpart: the index is in PostgreSQL"},
	{names: "ReadTimeOut", in: both, spider: true, here: "`ReadTimeOut` (spider.cnf) has another meaning, the time of a whole fetch, which is DocTimeOut there"},
	{names: "HrefOnly IndexIf NoIndexIf AllowIf DisallowIf SkipIf CategoryIf TagIf HrefSection", in: both, here: "`Index no` above a `Server path` line, for directories of pages that only link to others. Conditions on the content do not exist"},
	{names: "CheckMP3 CheckMP3Only CheckMP3Tag IndexMP3TagOnly Skip", in: both, here: "no counterpart: sounds are not read. `CheckOnly` asks whether a URL exists"},
	{names: "Subnet SubnetDB SubnetFile", in: both, here: "no counterpart: the scope is of names. `AllowNetwork` and `DenyNetwork` (spider.cnf) allow and refuse addresses"},
	{names: "ServerTable FlushServerTable LoadServerTable ServerDB RealmDB URLDB", in: both, here: "write the servers of the table as `Server` lines; `index -i -f FILE` takes a list of URLs"},
	{names: "ServerFile RealmFile URLFile", in: datapark, here: "write the lines of the file as `Server` lines; `index -i -f FILE` takes a list of URLs"},
	{names: "Category CategoryTable FlushCategoryTable", in: both, here: "`Tag` with a number, or table `subsets` with patterns of URLs"},
	{names: "Section SaveSectionSize LMDSection BodyPattern BodyBrackets LongestTextItems SkipHrefIn", in: both, here: "no counterpart: title, description, keywords and body are indexed, and `DateRule`, `LeaveOut` and `KeepNavigation` change what is read of a page"},
	{names: "CrossWords CrossWordsSkipSameSite CollectLinks ProvideReferer UseDateHeader DisableRelNoFollow TrackHops SubDocLevel SubDocCnt MinDocSize", in: both, here: "no counterpart. `FollowRelNofollow` (spider.cnf) follows links with rel=nofollow"},
	{names: "Store NoStore DoStore DoExcerpt CachedCopy UseLocalCachedCopy", in: both, here: "no counterpart: the contents of all documents are stored, up to `IndexLimit` (spider.cnf)"},
	{names: "UseCookie Cookies", in: both, here: "no counterpart: cookies are not sent"},
	{names: "NewsExtensions CVSIgnore FollowSymlinks", in: both, here: "no counterpart. `Server file:///...` and `FileRoot` (spider.cnf) read files"},
	{names: "PeriodByHops MaxDepth MaxSiteLevel MaxHrefsPerServer SkipUnreferred MaxCrawlDelay Limit", in: both, here: "no counterpart: `MaxHops`, `MaxURLsPerServer` and patterns bound a site"},
	{names: "ServerWeight UserScore UserScoreFactor UserSiteScore UserOrder TitleWeight BodyWeight DescWeight KeywordWeight UrlWeight MinSiteWeight MinServerWeight Weight", in: both, here: "`Weight` and `SiteWeight` in searchd.conf"},
	{
		names: "PopRankSkipSameSite PopRankFeedBack PopRankMethod PopRankNeoIterations PopRankUseTracking PopRankUseShowCnt PopRankShowCntRatio PopRankShowCntWeight PopRankPostpone " +
			"wf nwf DateFactor DocSizeWeight IDFFactor MinCoordFactor NumDistinctWordFactor NumWordFactor WordDensityFactor WordDistanceWeight WordFormFactor StrictModeThreshold",
		in: both, here: "no counterpart: link ranks are computed by each merge; `Ranking` in searchd.conf",
	},
	{
		names: "Cache DateFormat ExcerptSize ExcerptPadding ExcerptMark ExcerptStopword GroupBySite HlBeg HlEnd PagesPerScreen PagesInGroup ResultContentType ResultsLimit ReplaceVar " +
			"Suggest AlwaysFoundWord SQLWordForms StarTHops UserCacheQuery TrackDBAddr URLInfoSQL SRVInfoSQL LoadURLInfo LoadURLBasicInfo LoadTagInfo IspellUsePrefixes ImportEnv Locale " +
			"XMLEnterHook XMLLeaveHook XMLDataHook Segmenter UseRobotsTxtURL IndexTime Refresh ActionSQL CharsToEscape R1 R2",
		in: both, spider: true, here: "no counterpart; what concerns searches is in searchd.conf",
	},
}
