package engine

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// Token is one token of a text: a run of ASCII letters and digits.
type Token struct {
	Raw  string // as it stands in the text
	Stem string // lower-cased and stemmed (Snowball English); no stop word is dropped
}

// Tokens returns the tokens of a text, in order: the engine's specification, §6.
func Tokens(text string) []Token {
	var out []Token
	for start, end := nextToken(text, 0); start < end; start, end = nextToken(text, end) {
		raw := text[start:end]
		out = append(out, Token{Raw: raw, Stem: stem(strings.ToLower(raw))})
	}
	return out
}

// stem stems a lower-cased word. Stop words are stemmed as any other word is.
func stem(word string) string {
	if len(word) > maxStemmed {
		return word
	}
	return english.Stem(word, true)
}

// maxStemmed is the longest word, in characters, that is stemmed: no English
// word comes near, and the time a stemmer takes must not be a server's choice.
const maxStemmed = 1000

// nextToken returns where the next token of text at or after from starts and
// ends; both are len(text) where there is none.
func nextToken(text string, from int) (start, end int) {
	for from < len(text) && !alphanumeric[text[from]] {
		from++
	}
	start = from
	for from < len(text) && alphanumeric[text[from]] {
		from++
	}
	return start, from
}

// alphanumeric tells the bytes that tokens are made of.
var alphanumeric = func() (table [256]bool) {
	for c := range table {
		table[c] = isAlphanumeric(rune(c))
	}
	return table
}()

// documentName returns the part of a definition's name that its document has:
// the wire name, a server's tool's less its prefix, with the characters that
// join words turned to spaces.
func documentName(d Definition) string {
	name := d.Name
	if d.Source == SourceMCP {
		name = strings.TrimPrefix(name, "mcp_")
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '.', ':', '-':
			return ' '
		}
		return r
	}, name)
}

// labelInDocument reports whether the label is added to the document: it is
// not where it already is one of the words of the name.
func labelInDocument(name, label string) bool {
	for word := range strings.FieldsSeq(name) {
		if word == label {
			return false
		}
	}
	return true
}

// document calls each with the texts that make up a definition's document.
// The tokens of a document are those of its texts: no token spans two.
func document(d Definition, each func(text string)) {
	name := documentName(d)
	each(name)
	if labelInDocument(name, d.Label) {
		each(d.Label)
	}
	each(d.Tool.Description)
	for _, p := range d.Tool.facts.properties {
		each(p)
	}
}
