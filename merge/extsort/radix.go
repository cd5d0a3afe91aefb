package extsort

import "slices"

// fewKeys is the number of keys below which sorting by comparison is used.
const fewKeys = 1 << 10

// SortKeys sorts numbers made of two ids by their bytes, the last one first. A build sorts the links of all
// documents twice; sorting by comparison takes two to three times as long.
func SortKeys(keys []uint64) {
	if len(keys) < fewKeys {
		slices.Sort(keys)
		return
	}
	var ones, zeros uint64 // bits that differ between keys are in both
	for _, k := range keys {
		ones |= k
		zeros |= ^k
	}
	from, to := keys, make([]uint64, len(keys))
	for shift := 0; shift < 64; shift += 8 {
		if ones&zeros>>shift&0xff == 0 {
			continue
		}
		var place [256]int
		for _, k := range from {
			place[k>>shift&0xff]++
		}
		sum := 0
		for d, n := range place {
			place[d] = sum
			sum += n
		}
		for _, k := range from {
			d := k >> shift & 0xff
			to[place[d]] = k
			place[d]++
		}
		from, to = to, from
	}
	copy(keys, from) // after an even number of passes from is keys itself
}
