// Package tokenizer counts tokens as a real model does, with o200k_base, to set
// beside the engine's estimate. It works offline.
package tokenizer

import (
	"fmt"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Name is the vocabulary's name.
const Name = string(tokenizer.O200kBase)

// Counter counts tokens. Make one with [New].
type Counter struct{ codec tokenizer.Codec }

// New loads the vocabulary, a table of 200,000 entries that is made once. That
// is for the first time the figures are asked for: not for start-up, nor for the
// path of a key press.
func New() (Counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return Counter{}, fmt.Errorf("loading the vocabulary %s: %w", Name, err)
	}
	return Counter{codec}, nil
}

// maxPiece is the most bytes counted at once. A longer text is counted in
// pieces, so that no text costs more than its length; each cut may add a token.
const maxPiece = 64 << 10

// Count returns how many tokens a text is. A text of over 65,536 bytes is
// counted in pieces, which may be a token too many for each piece.
func (c Counter) Count(text string) (int, error) {
	total := 0
	for len(text) > 0 {
		piece := text
		if len(piece) > maxPiece {
			piece = piece[:cut(piece)]
		}
		n, err := c.codec.Count(piece)
		if err != nil {
			return 0, fmt.Errorf("counting tokens with %s: %w", Name, err)
		}
		total += n
		text = text[len(piece):]
	}
	return total, nil
}

// cut returns where to cut a text that is too long: before a space if there is
// one near the end, where words begin in the vocabulary, else between two
// characters.
func cut(text string) int {
	for i := maxPiece; i > maxPiece-1024; i-- {
		if text[i] == ' ' {
			return i
		}
	}
	i := maxPiece
	for i > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
