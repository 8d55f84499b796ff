package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

// JSON returns v as indented JSON that is safe on a terminal and loses
// nothing: every control, format, tag, private and unassigned character inside
// a string is escaped as \uXXXX, and < > & stand as they are.
func JSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return []byte(EscapeJSON(buf.String())), nil
}

// EscapeJSON rewrites a JSON text so that no character of it can act on a
// terminal. Outside strings valid JSON has none but white space, which stays.
func EscapeJSON(text string) string {
	if isSimpleJSON(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case r == '\n' || plain(r):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func isSimpleJSON(s string) bool {
	for i := 0; i < len(s); i++ {
		if (s[i] < 0x20 && s[i] != '\n') || s[i] > 0x7e {
			return false
		}
	}
	return true
}
