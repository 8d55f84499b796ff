package engine

import (
	"math"
	"strings"
)

// The parameters of BM25: the engine's specification, §6.
const (
	bm25K1 = 1.5
	bm25B  = 0.75
)

// Index is the searchable catalog of an assembly's deferred tools: an inverted
// index for BM25. It is read-only once built and safe for concurrent use.
type Index struct {
	names    []string         // wire names, in document order
	plain    bool             // no name has anything but letters, digits and _
	terms    map[string]int32 // stem → term
	first    []int32          // of each term, where its postings start; one more at the end
	postings []posting        // by term, then by document
	idf      []float64        // of each term
	norms    []float64        // of each document: k1·(1 − b + b·len/avg)
	average  float64          // tokens per document
}

// posting says that a term occurs tf times in a document.
type posting struct{ doc, tf int32 }

// Documents returns how many tools the index holds.
func (ix *Index) Documents() int { return len(ix.names) }

// AverageLength returns the mean length of a document in tokens.
func (ix *Index) AverageLength() float64 { return ix.average }

// newIndex builds the index of deferred definitions, in their order.
func newIndex(deferred []Definition) *Index {
	n := len(deferred)
	ix := &Index{names: make([]string, n), plain: true, norms: make([]float64, n)}
	b := indexBuilder{words: make(map[string]int32), terms: make(map[string]int32)}
	lengths := make([]int32, n)
	for i, d := range deferred {
		ix.names[i] = d.Name
		ix.plain = ix.plain && isPlain(d.Name)
		before := len(b.stream)
		document(d, b.add)
		lengths[i] = int32(len(b.stream) - before)
	}
	ix.terms = b.terms
	if n > 0 {
		ix.average = float64(len(b.stream)) / float64(n)
	}
	for i, length := range lengths {
		ix.norms[i] = bm25K1 * (1 - bm25B + bm25B*float64(length)/math.Max(ix.average, 1))
	}
	ix.fill(b.stream, lengths)
	return ix
}

// fill makes the postings of the documents' terms, which stand one document
// after another in the stream.
func (ix *Index) fill(stream, lengths []int32) {
	// One pass counts each term's documents, so that the second can put every
	// posting in its place in one array.
	last := make([]int32, len(ix.terms)) // the document a term was last seen in, from 1
	df := make([]int32, len(ix.terms))
	distinct := int32(0)
	rest := stream
	for i, length := range lengths {
		for _, term := range rest[:length] {
			if last[term] != int32(i)+1 {
				last[term] = int32(i) + 1
				df[term]++
				distinct++
			}
		}
		rest = rest[length:]
	}
	ix.first = make([]int32, len(df)+1)
	ix.idf = make([]float64, len(df))
	for term, n := range df {
		ix.first[term+1] = ix.first[term] + n
		ix.idf[term] = idf(len(lengths), int(n))
	}
	ix.postings = make([]posting, distinct)
	next := df // reused: where each term's next posting goes
	copy(next, ix.first)
	clear(last)
	rest = stream
	for i, length := range lengths {
		for _, term := range rest[:length] {
			if last[term] != int32(i)+1 {
				last[term] = int32(i) + 1
				ix.postings[next[term]].doc = int32(i)
				next[term]++
			}
			ix.postings[next[term]-1].tf++
		}
		rest = rest[length:]
	}
}

// idf is the weight of a term that df of n documents contain.
func idf(n, df int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// list returns the postings of a term.
func (ix *Index) list(term int32) []posting {
	return ix.postings[ix.first[term]:ix.first[term+1]]
}

// score is what tf occurrences of a term give a document.
func (ix *Index) score(term, doc, tf int32) float64 {
	return ix.idf[term] * float64(tf) * (bm25K1 + 1) / (float64(tf) + ix.norms[doc])
}

// indexBuilder turns texts into a stream of terms. Stemming is the cost of an
// index, so each word is stemmed once.
type indexBuilder struct {
	words  map[string]int32 // lower-cased word → term
	terms  map[string]int32 // stem → term
	stream []int32
	lower  []byte
}

func (b *indexBuilder) add(text string) {
	for start, end := nextToken(text, 0); start < end; start, end = nextToken(text, end) {
		b.lower = b.lower[:0]
		for _, c := range []byte(text[start:end]) {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b.lower = append(b.lower, c)
		}
		term, ok := b.words[string(b.lower)]
		if !ok {
			word := string(b.lower)
			term = b.term(stem(word))
			b.words[word] = term
		}
		b.stream = append(b.stream, term)
	}
}

func (b *indexBuilder) term(stem string) int32 {
	term, ok := b.terms[stem]
	if !ok {
		term = int32(len(b.terms))
		b.terms[stem] = term
	}
	return term
}

// isPlain reports whether a name has nothing but ASCII letters, digits and _.
func isPlain(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r != '_' && !isAlphanumeric(r) }) < 0
}
