// Package suggest completes what somebody is typing from texts in memory. It is pure: its texts are given to a Builder,
// the best first, and an Index never changes, so that many may read it.
//
// A text is found by any of its words: the index is the sorted list of the places at which words begin in the folded
// texts, and a prefix is a range of this list. Of the texts in a range the first ones are wanted. Minima of blocks of the list
// find them without reading a long range.
package suggest
