package endless

// Paused is a set of patterns that are paused, with patterns within them that are not.
type Paused struct {
	paused map[string]bool
	except map[string]bool
}

// NewPaused returns an empty set.
func NewPaused() *Paused {
	return &Paused{paused: make(map[string]bool), except: make(map[string]bool)}
}

// Add adds a pattern.
func (p *Paused) Add(pattern string, except []string) {
	p.paused[pattern] = true
	for _, e := range except {
		p.except[e] = true
	}
}

// Len returns the number of patterns.
func (p *Paused) Len() int { return len(p.paused) }

// Has reports whether a pattern itself is paused.
func (p *Paused) Has(pattern string) bool { return p.paused[pattern] }

// By returns the pattern by which a URL is paused, empty when it is not. The narrowest pattern decides; one that was paused
// after it had been an exception is paused.
func (p *Paused) By(url string) string {
	if len(p.paused) == 0 {
		return ""
	}
	for pattern := range addressOf(url).narrowestFirst() {
		switch {
		case p.paused[pattern]:
			return pattern
		case p.except[pattern]:
			return ""
		}
	}
	return ""
}
