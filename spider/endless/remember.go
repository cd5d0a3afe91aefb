package endless

// remember notes the text of a page and reports whether it is new to the site. Of a page whose URL has no pattern the
// set of its words is noted only.
func (e *Detector) remember(url string, text textPrint, plain bool) bool {
	if e.texts == nil {
		e.texts = newRecentSet()
	}
	site := hashOf(url[:PathStart(url)])
	bag := e.texts.add(site ^ text.bag)
	if plain && len(e.found) == 0 {
		return bag
	}
	words, runs := e.addAll(site, text.words), e.addAll(site, text.runs)
	numbers, own := e.addAll(site, text.numbers), e.addAll(site, text.own)
	return words > 0 || own > 0 || numbers >= freshNumbers || bag && (runs >= freshRuns || runs*5 >= len(text.runs) && runs > 0)
}

// addAll notes hashes of a site and returns how many were new.
func (e *Detector) addAll(site uint64, hashes []uint64) (n int) {
	for len(hashes) > 0 {
		part := hashes[:min(fetchedAhead, len(hashes))]
		hashes = hashes[len(part):]
		e.texts.fetch(site, part)
		for _, h := range part {
			if e.texts.add(site + h) {
				n++
			}
		}
	}
	return n
}

// A page without a new word is new when it has so many new runs of words, or a fifth of its runs is new: fewer arise where
// pieces are put together that were seen before. And it is new when it has so many new numbers: fewer are a counter or a time.
const (
	freshRuns    = 12
	freshNumbers = 3
)
