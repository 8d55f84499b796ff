package engine

// Document is what a search looks in for one tool: the tokens of its wire name,
// its label where the name does not have it, its description and the names of
// its parameters.
type Document struct {
	Tokens []DocumentToken // each stem once, in the order of the document
	Length int             // tokens in all, each as often as it stands there
}

// DocumentToken is one stem of a document.
type DocumentToken struct {
	Raw  string // as it first stands there
	Stem string
	TF   int // times it stands there, 1 at least
}

// Document returns the document of a deferred tool, given by its wire name. It
// is false where there is no such tool. Every call reads the tool's whole text.
func (a Assembly) Document(tool string) (Document, bool) {
	doc := a.index().names.find(tool)
	if doc < 0 {
		return Document{}, false
	}
	words := a.document(doc)
	all := Document{Tokens: make([]DocumentToken, len(words.words))}
	for i, w := range words.words {
		all.Tokens[i] = DocumentToken{Raw: w.Raw, Stem: w.Stem, TF: words.counts[i]}
		all.Length += words.counts[i]
	}
	return all, true
}

// document is the words of one tool's document.
type document struct {
	words  []Token // each stem once, in the order of the document
	counts []int   // how often each stands there
	named  int     // how many of the words the wire name has
}

func (a Assembly) document(doc int) document {
	d := &a.Deferred[doc]
	name, label := d.bareName(), ""
	if d.labelled() {
		label = d.Label
	}
	texts := append([]string{name, label, d.Tool.Description}, d.Tool.measured().facts.properties...)
	var all document
	at := map[string]int{}
	for i, text := range texts {
		for _, t := range Tokens(text) {
			j, ok := at[t.Stem]
			if !ok {
				j = len(all.words)
				at[t.Stem] = j
				all.words, all.counts = append(all.words, t), append(all.counts, 0)
			}
			all.counts[j]++
		}
		if i == 0 {
			all.named = len(all.words)
		}
	}
	return all
}
