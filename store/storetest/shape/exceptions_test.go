package shape

// exception is a statement, view or function that breaks rules and is not worth a change yet.
type exception struct {
	name  string
	rules string // the rules, with the number of statements of this name where it is not one: join=7
	why   string
}

// The list may only become shorter. A distributed database would get a second text of those that say "second text", and the other
// reasons say why the rule may be broken for now. A row lock of several keys takes them in ascending order, so that nobody waits in a
// circle; on a distributed database each would be a statement of its own.
var exceptions = []exception{
	// Rows of several URLs are locked in ascending order.
	{"crawl.lockURLsSQL", "lock", "the documents of a transaction, in ascending order"},
	{"crawl.unchangedSQL", "lock", "the unchanged documents of a batch, in ascending order; a distributed database records each alone"},
	{"crawl.lockReachedSQL", "lock", "links of a document of --respider, in ascending order"},
	{"crawl.membersDueSQL", "lock", "members of an archive, once a change of it, in ascending order"},
	{"crawl.dueAgainSQL", "lock", "URLs of a host whose robots.txt can be had again, in ascending order"},
	{"crawl.modifiedSQL", "lock", "entries of a sitemap, in ascending order"},
	{"index.lockToMendSQL", "lock", "-X2 only, in ascending order"},
	{"index.lockLinkingSQL", "lock", "-X2 only, in ascending order"},

	// The choice of a lease reads the frontier of sites, which is not distributed: second text.
	{"crawl.groupSQL", "correlated=4 limit=4", "choice of a lease: second text"},
	{"crawl.shallowGroupSQL", "correlated=3 limit=3 recursive=3", "choice of a lease with -o: second text"},
	{"crawl.lookAgainSQL", "correlated", "choice of a lease: second text"},
	{"crawl.overlookedSQL", "local", "choice of a lease: second text"},
	{"crawl.freeSitesSQL", "correlated", "acknowledgement of a schedule: second text"},

	// Recording a document.
	{"crawl.groupsSQL", "correlated limit", "the lowest member of a clone group, without reading the others: second text"},
	{"crawl.demoteSQL", "sub-select", "unites the links of two marks without duplicates"},
	{"crawl.inheritConvertedSQL", "join", "copies a row from a clone to its original: two keys of one table"},
	{"crawl.keptBySQL", "correlated join", "a clone and its original: two keys of one table"},
	{"crawl.keptContentSQL", "join", "a clone and its original: two keys of one table"},
	{"crawl.waitingWordsSQL", "correlated limit", "index -T: second text"},
	{"crawl.waitingSeqSQL", "correlated limit", "index -T: second text"},
	{"realtime.putShownSQL", "correlated", "index -T: second text"},

	{"crawl.orphanIDsSQL", "correlated no-columns recursive", "--orphans reads the view orphans"},

	// Gates and holds, once a run or once a hold.
	{"crawl.recoverSQL", "correlated local", "once a run, for sites whose gate is not armed: second text"},
	{"crawl.noIndexSitesSQL", "correlated local", "once a run"},
	{"crawl.canonicalSitesSQL", "correlated join", "once a run"},
	{"crawl.canonicalStandsSQL", "join", "two pages that name each other, at a canonical hold"},
	{"crawl.namedPagesSQL", "join", "the pages that a page names, at a canonical hold"},
	{"crawl.redirectingSQL", "correlated limit", "at a redirect hold"},

	// The merge, checks, mending, rebuilds.
	{"index.urlChecks", "join=7", "-X1 compares tables of different families: second text"},
	{"index.indexChecks", "join=2 correlated", "-X1 compares tables of different families: second text"},
	{"index.crawlChecks", "limit recursive join", "-X1: second text"},
	{"index.dropStraysSQL", "join", "-X2: second text"},
	{"index.cleanLinksSQL", "correlated", "-X2: second text"},
	{"index.readAgainSQL", "correlated", "-X2: second text"},
	{"index.withoutTargetSQL", "join", "-X2: second text"},
	{"index.missingWordsSQL", "correlated", "--rebuild-index: second text"},
	{"index.swapSQL", "join=2 correlated", "--rebuild-index: second text"},

	// Searches.
	{"lookup.searchWordsSQL", "join", "a word and its segments in one statement: second text"},
	{"lookup.searchHeadsSQL", "limit local", "the documents of a page with their clones: second text"},
	{"lookup.searchVersionsSQL", "correlated", "versions of cached documents with their clones: second text"},
	{"lookup.wordsFromSQL", "limit", "a range of the dictionary for each prefix: second text"},
	{"lookup.pairsSQL", "correlated", "pairs of words of the dictionary: second text"},
	{"lookup.formsSQL", "correlated", "forms of words in the dictionary: second text"},
	{"lookup.searchURLSQL", "local", "whether the site is on hold: second text"},

	// Answers for people.
	{"report.explainURLSQL", "join", "--explain"},
	{"report.explainOrphanSQL", "correlated no-columns recursive", "--explain reads the view orphans"},
	{"report.explainCitationSQL", "join", "--explain"},
	{"report.namersSQL", "join", "--explain"},
	{"report.startVisitsSQL", "join", "-S"},
	{"report.indexSizeSQL", "correlated", "the page /status"},

	// Made by migrations. New ones keep the rules.
	{"view broken_links", "no-columns", "until it is next changed"},
	{"view canonical_pages", "join", "a page and the page that it names"},
	{"view clones", "join", "a clone and its original"},
	{"view redirect_chains", "join", "a redirect and its target"},
	{"view orphans", "correlated no-columns recursive", "what links reach: a loop in Go in its place"},
	{"view relinked", "correlated no-columns recursive", "what links reach: a loop in Go in its place"},
	{"function doc_words", "join no-columns", "words of a document"},
	{"function search_aspseek", "correlated no-columns", "until it is next changed"},
	{"function search_facets", "no-columns", "until it is next changed"},
	{"function search_matches", "no-columns", "until it is next changed"},
	{"function search_plan", "correlated no-columns", "until it is next changed"},
	{"function search", "no-columns", "until it is next changed"},
	{"function word_documents", "correlated join no-columns sql-function", "a word and its segments"},
	{"function word_postings", "join sql-function", "a word and its segments"},
	{"function find_url", "sql-function", "until it is next changed"},
	{"function subset_documents", "sql-function", "until it is next changed"},
	{"function word_spellings", "sql-function", "until it is next changed"},
}

// strays are declarations with parts of SQL that belong to no statement.
var strays = map[string]string{
	"index.crawlChecks":   "remedies that a finding names",
	"index.urlChecks":     "a remedy that a finding names",
	"lookup.languagesSQL": "a loop makes its sixteen SELECTs",
}
