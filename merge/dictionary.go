package merge

import "hash/maphash"

// dictionary numbers distinct words from 0 on, in the order in which they come. A build looks up each word of
// each document, millions of times among hundreds of thousands of words, so a look-up reads only a slot of
// the table and the word.
type dictionary struct {
	seed  maphash.Seed
	slots []slot // a power of two of them, at most half of them used
	text  []byte // for each word its length, a byte, and the word
	ends  []int  // in text, by number
}

// slot is a slot of the table. In a free one word is 0.
type slot struct {
	hash uint32
	word int32 // its number + 1
	at   int   // in text
}

const minSlots = 1 << 12

func newDictionary() *dictionary {
	return &dictionary{seed: maphash.MakeSeed(), slots: make([]slot, minSlots)}
}

// add returns the number of a word of at most 255 bytes. A new word gets the next number.
func (d *dictionary) add(word []byte) int32 {
	hash := uint32(maphash.Bytes(d.seed, word))
	i := d.place(word, hash)
	if n := d.slots[i].word; n > 0 {
		return n - 1
	}
	d.slots[i] = slot{hash, int32(len(d.ends) + 1), len(d.text)}
	d.text = append(append(d.text, byte(len(word))), word...)
	d.ends = append(d.ends, len(d.text))
	if 2*len(d.ends) > len(d.slots) {
		d.grow()
	}
	return int32(len(d.ends) - 1)
}

// find returns the number of a word.
func (d *dictionary) find(word []byte) (number int32, ok bool) {
	n := d.slots[d.place(word, uint32(maphash.Bytes(d.seed, word)))].word
	return n - 1, n > 0
}

// length returns the length of a word in bytes.
func (d *dictionary) length(number int32) int {
	begin := 0
	if number > 0 {
		begin = d.ends[number-1]
	}
	return d.ends[number] - begin - 1
}

// place returns the slot of a word, or the free one for it.
func (d *dictionary) place(word []byte, hash uint32) int {
	mask := len(d.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		if s.word == 0 || s.hash == hash && int(d.text[s.at]) == len(word) && string(d.text[s.at+1:s.at+1+len(word)]) == string(word) {
			return i
		}
	}
}

// grow doubles the table.
func (d *dictionary) grow() {
	old := d.slots
	d.slots = make([]slot, 2*len(old))
	mask := len(d.slots) - 1
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := int(s.hash) & mask
		for d.slots[i].word > 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = s
	}
}

// words returns all words by number.
func (d *dictionary) words() []string {
	all := string(d.text) // one string for all of them
	list := make([]string, len(d.ends))
	begin := 0
	for n, end := range d.ends {
		list[n] = all[begin+1 : end]
		begin = end
	}
	return list
}
