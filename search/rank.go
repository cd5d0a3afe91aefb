package search

// Parts say what the rank of a hit is made of (aspseek.md 9.3), for people who ask why.
type Parts struct {
	Section string `json:"section"` // the best that all terms have: title, keywords, description or body
	Exact   bool   `json:"exact"`   // no other form of a word was needed
	Phrases int    `json:"phrases"` // 3 = all terms stand as one phrase, 2 = several parts of it do, 1 = one does, 0 = none
	Place   int    `json:"place"`   // where in the section, from 0; -1 when it does not count
	Link    int    `json:"link"`    // link rank as it counts, 0 to 65535
	Site    int    `json:"site"`    // weight of the site (SiteWeight), which goes before all else
}
