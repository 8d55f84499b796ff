package engine

import (
	"slices"
	"strings"
	"unique"
)

// LostParts returns for each definition the parts of the camelCase words of
// its own name that are in no token of its document, as they stand in the name:
// a camelCase word is one token, so a query for such a part does not find the
// tool. Most have none. A part that the description, a parameter, the server or
// the label also gives is not lost.
func LostParts(definitions []*Definition) [][]string {
	lost := make([][]string, len(definitions))
	f := partFinder{stems: map[string]unique.Handle[string]{}, words: map[string][]unique.Handle[string]{}}
	for i, d := range definitions {
		for start, end := nextToken(d.Tool.Name, 0); start < end; start, end = nextToken(d.Tool.Name, end) {
			for _, part := range camelParts(d.Tool.Name[start:end]) {
				if !slices.Contains(lost[i], part) && !f.finds(d, part) {
					lost[i] = append(lost[i], part)
				}
			}
		}
	}
	return lost
}

// partFinder remembers the stems of words and texts that many tools have in
// common.
type partFinder struct {
	stems map[string]unique.Handle[string]
	words map[string][]unique.Handle[string] // server or label → its stems
}

// finds reports whether a word is a token of a definition's document.
func (f partFinder) finds(d *Definition, word string) bool {
	stem, ok := f.stems[word]
	if !ok {
		stem = unique.Make(stemWord(strings.ToLower(word)))
		f.stems[word] = stem
	}
	for _, s := range d.measured().Tool.facts.stems {
		if s.stem == stem {
			return true
		}
	}
	return slices.Contains(f.text(d.prefix), stem) || d.labelled() && slices.Contains(f.text(d.Label), stem)
}

// text returns the stems of a text.
func (f partFinder) text(text string) []unique.Handle[string] {
	stems, ok := f.words[text]
	if !ok {
		for _, t := range Tokens(text) {
			stems = append(stems, unique.Make(t.Stem))
		}
		f.words[text] = stems
	}
	return stems
}
