package engine

import (
	"math"
	"unique"
)

// The parameters of BM25: the engine's specification, §6.
const (
	bm25K1 = 1.5
	bm25B  = 0.75
)

// Index is the searchable catalog of an assembly's deferred tools: an inverted
// index for BM25. It is read-only once built and safe for concurrent use.
type Index struct {
	names    names
	terms    map[unique.Handle[string]]int32 // stem → term
	first    []int32                         // of each term, where its postings start; one more at the end
	postings []posting                       // by term, then by document
	idf      []float64                       // of each term
	lengths  []int32                         // of each document, in tokens
	norms    []float64                       // of each document: k1·(1 − b + b·len/avg)
	average  float64                         // tokens per document
}

// posting says that a term occurs tf times in a document.
type posting struct{ doc, tf int32 }

// Documents returns how many tools the index holds.
func (ix *Index) Documents() int { return len(ix.norms) }

// AverageLength returns the mean length of a document in tokens.
func (ix *Index) AverageLength() float64 { return ix.average }

// newIndex builds the index of deferred definitions, in their order.
func newIndex(deferred []Definition) *Index {
	n := len(deferred)
	ix := &Index{names: newNames(deferred), lengths: make([]int32, n), norms: make([]float64, n)}
	b := indexBuilder{
		words:  make(map[string][]int32),
		terms:  make(map[unique.Handle[string]]int32, n),
		stream: make([]termCount, 0, 16*n),
		ends:   make([]int, n),
	}
	total := 0
	for i := range deferred {
		length := b.add(&deferred[i])
		b.ends[i] = len(b.stream)
		ix.lengths[i] = int32(length)
		total += length
	}
	if n > 0 {
		ix.average = float64(total) / float64(n)
	}
	for i, length := range ix.lengths {
		ix.norms[i] = bm25K1 * (1 - bm25B + bm25B*float64(length)/math.Max(ix.average, 1))
	}
	ix.terms = b.terms
	ix.fill(b)
	return ix
}

// fill makes the postings of the documents' terms.
func (ix *Index) fill(b indexBuilder) {
	// One pass counts each term's documents, so that the second can put every
	// posting in its place in one array. A term may stand several times in a
	// document's part of the stream.
	last := make([]int32, len(b.terms)) // the document a term was last seen in, from 1
	df := make([]int32, len(b.terms))
	distinct, at := 0, 0
	for i, end := range b.ends {
		for _, t := range b.stream[at:end] {
			if last[t.term] != int32(i)+1 {
				last[t.term] = int32(i) + 1
				df[t.term]++
				distinct++
			}
		}
		at = end
	}
	ix.first = make([]int32, len(df)+1)
	ix.idf = make([]float64, len(df))
	for term, n := range df {
		ix.first[term+1] = ix.first[term] + n
		ix.idf[term] = idf(len(b.ends), int(n))
	}
	ix.postings = make([]posting, distinct)
	next := df // reused: where each term's next posting goes
	copy(next, ix.first)
	clear(last)
	at = 0
	for i, end := range b.ends {
		for _, t := range b.stream[at:end] {
			if last[t.term] != int32(i)+1 {
				last[t.term] = int32(i) + 1
				ix.postings[next[t.term]].doc = int32(i)
				next[t.term]++
			}
			ix.postings[next[t.term]-1].tf += t.count
		}
		at = end
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

// termCount says that a term occurs count times in a part of a document.
type termCount struct{ term, count int32 }

// indexBuilder turns definitions into a stream of terms, one document after
// another. The tool's own part of a document was stemmed when the tool arrived;
// its server and label are the same for many.
type indexBuilder struct {
	words  map[string][]int32 // server or label → its terms
	terms  map[unique.Handle[string]]int32
	stream []termCount
	ends   []int // where each document's part of the stream ends
}

// add appends a definition's document and returns its length in tokens.
func (b *indexBuilder) add(d *Definition) int {
	length := d.Tool.facts.tokens
	for _, s := range d.Tool.facts.stems {
		b.stream = append(b.stream, termCount{b.term(s.stem), s.count})
	}
	length += b.addText(d.prefix)
	if d.labelled() {
		length += b.addText(d.Label)
	}
	return length
}

// addText appends the tokens of a text and returns how many there are.
func (b *indexBuilder) addText(text string) int {
	terms, ok := b.words[text]
	if !ok {
		for _, t := range Tokens(text) {
			terms = append(terms, b.term(unique.Make(t.Stem)))
		}
		b.words[text] = terms
	}
	for _, term := range terms {
		b.stream = append(b.stream, termCount{term, 1})
	}
	return len(terms)
}

// term returns the term of a stem.
func (b *indexBuilder) term(stem unique.Handle[string]) int32 {
	term, ok := b.terms[stem]
	if !ok {
		term = int32(len(b.terms))
		b.terms[stem] = term
	}
	return term
}

// term returns the term of a stem, and whether any document has it.
func (ix *Index) term(stem string) (int32, bool) {
	term, ok := ix.terms[unique.Make(stem)]
	return term, ok
}
