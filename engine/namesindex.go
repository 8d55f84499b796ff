package engine

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// names finds documents by their wire names, which are sorted.
type names struct {
	list   []string
	folded string    // all of them in lower case, one after another
	start  []int32   // where each name's part of folded starts; one more at the end
	length [][]int32 // documents by the bytes of their folded names
}

// longName is the length, in bytes, from which names share one bucket.
const longName = 128

func newNames(deferred []Definition) names {
	n := names{list: make([]string, len(deferred)), start: make([]int32, len(deferred)+1), length: make([][]int32, longName+1)}
	size := 0
	for i := range deferred {
		n.list[i] = deferred[i].Name
		size += len(n.list[i])
	}
	var folded strings.Builder
	folded.Grow(size)
	for i, name := range n.list {
		folded.WriteString(strings.ToLower(name))
		n.start[i+1] = int32(folded.Len())
		bucket := min(longName, folded.Len()-int(n.start[i]))
		n.length[bucket] = append(n.length[bucket], int32(i))
	}
	n.folded = folded.String()
	return n
}

// fold returns the name of a document in lower case.
func (n names) fold(doc int32) string { return n.folded[n.start[doc]:n.start[doc+1]] }

// find returns the document of a wire name, or -1.
func (n names) find(name string) int {
	i := sort.SearchStrings(n.list, name)
	if i < len(n.list) && n.list[i] == name {
		return i
	}
	return -1
}

// exact returns the document whose wire name a query is, or -1: the one
// spelled alike, else the first that differs only in case.
func (n names) exact(query string) int {
	query = strings.TrimSpace(query)
	if doc := n.find(query); doc >= 0 || len(n.list) == 0 {
		return doc
	}
	query = strings.ToLower(query)
	for _, doc := range n.length[min(longName, len(query))] {
		if n.fold(doc) == query {
			return int(doc)
		}
	}
	return -1
}

// containing calls each with every document whose wire name contains the text,
// case aside, in order.
func (n names) containing(text string, each func(doc int)) {
	text = strings.ToLower(text)
	for doc, at := 0, 0; doc < len(n.list); {
		i := strings.Index(n.folded[at:], text)
		if i < 0 {
			return
		}
		at += i
		doc = sort.Search(len(n.list), func(i int) bool { return int(n.start[i+1]) > at })
		if at+len(text) <= int(n.start[doc+1]) {
			each(doc)
			at = int(n.start[doc+1])
			doc++
			continue
		}
		// The match runs into the next name, so it is none.
		_, size := utf8.DecodeRuneInString(n.folded[at:])
		at += size
	}
}
