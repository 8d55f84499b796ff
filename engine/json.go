package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxNesting is how deep a JSON value may nest to be kept. encoding/json gives
// up at 10,000 levels, and a tool is wrapped in a few more (a definition, a
// snapshot), so anything that is kept can be read again by every reader.
const maxNesting = 5000

// syntaxError is a fault in JSON text.
type syntaxError struct {
	offset int // in bytes, from 0
	what   string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.offset, e.what)
}

// Canonical returns raw in the one form that the engine counts and writes:
// compact, strings decoded and encoded again with only `"`, `\` and control
// characters escaped (so non-ASCII text, U+2028, <, > and & stand as they are),
// number literals and the order of keys as they stand. Bytes that are no UTF-8
// and lone surrogates become U+FFFD.
//
// It fails where raw is not exactly one JSON value, or nests deeper than 5,000
// levels. It does not recurse, so that no input can exhaust the stack.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	c, depth, err := canonical(raw)
	if err != nil {
		return nil, err
	}
	if depth > maxNesting {
		return nil, fmt.Errorf("JSON nested %d levels deep: at most %d are accepted", depth, maxNesting)
	}
	return c, nil
}

// canonical is Canonical without the limit on nesting, which it returns.
func canonical(raw []byte) (out json.RawMessage, depth int, err error) {
	out, i, depth, err := appendCanonical(make([]byte, 0, len(raw)), raw)
	if err != nil {
		return nil, 0, err
	}
	if i = skipSpace(raw, i); i < len(raw) {
		return nil, 0, &syntaxError{i, "something follows the value"}
	}
	return out, depth, nil
}

// appendCanonical appends the canonical form of the value at the start of src
// to dst. It returns where in src the value ends and how deep it nests.
func appendCanonical(dst, src []byte) (_ []byte, end, depth int, err error) {
	var open []byte // the brackets that are open, outermost first
	i := 0
	for {
		// A value is due.
		i = skipSpace(src, i)
		if i >= len(src) {
			return nil, 0, 0, &syntaxError{i, "the text ends where a value is due"}
		}
		switch c := src[i]; {
		case c == '{' || c == '[':
			open = append(open, c)
			depth = max(depth, len(open))
			dst = append(dst, c)
			i = skipSpace(src, i+1)
			if i < len(src) && src[i] == closing(c) {
				break // empty: closed below
			}
			if c == '{' {
				if dst, i, err = appendKey(dst, src, i); err != nil {
					return nil, 0, 0, err
				}
			}
			continue
		case c == '"':
			dst, i, err = appendString(dst, src, i)
		case c == '-' || '0' <= c && c <= '9':
			dst, i, err = appendNumber(dst, src, i)
		default:
			dst, i, err = appendLiteral(dst, src, i)
		}
		if err != nil {
			return nil, 0, 0, err
		}
		// A value has ended: close what it ends, or go on to the next.
		for more := false; !more; {
			if len(open) == 0 {
				return dst, i, depth, nil
			}
			top := open[len(open)-1]
			i = skipSpace(src, i)
			switch {
			case i >= len(src):
				return nil, 0, 0, &syntaxError{i, fmt.Sprintf("the text ends inside %q", top)}
			case src[i] == closing(top):
				dst = append(dst, src[i])
				open = open[:len(open)-1]
				i++
			case src[i] == ',':
				dst = append(dst, ',')
				i++
				if top == '{' {
					if dst, i, err = appendKey(dst, src, skipSpace(src, i)); err != nil {
						return nil, 0, 0, err
					}
				}
				more = true
			default:
				return nil, 0, 0, &syntaxError{i, fmt.Sprintf("%q where a comma or %q is due", src[i], closing(top))}
			}
		}
	}
}

func closing(open byte) byte {
	if open == '{' {
		return '}'
	}
	return ']'
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}

// appendKey appends the key at src[i] and its colon.
func appendKey(dst, src []byte, i int) ([]byte, int, error) {
	if i >= len(src) || src[i] != '"' {
		return nil, 0, &syntaxError{i, "a key in double quotes is due"}
	}
	dst, i, err := appendString(dst, src, i)
	if err != nil {
		return nil, 0, err
	}
	i = skipSpace(src, i)
	if i >= len(src) || src[i] != ':' {
		return nil, 0, &syntaxError{i, "a colon is due after the key"}
	}
	return append(dst, ':'), i + 1, nil
}

// appendString appends the string literal at src[i], re-encoded.
func appendString(dst, src []byte, i int) ([]byte, int, error) {
	start := i
	dst = append(dst, '"')
	i++
	for i < len(src) {
		run := i
		for i < len(src) && src[i] >= 0x20 && src[i] < utf8.RuneSelf && src[i] != '"' && src[i] != '\\' {
			i++
		}
		dst = append(dst, src[run:i]...)
		if i >= len(src) {
			break
		}
		switch c := src[i]; {
		case c == '"':
			return append(dst, '"'), i + 1, nil
		case c == '\\':
			r, n, err := unescape(src, i)
			if err != nil {
				return nil, 0, err
			}
			dst = appendRune(dst, r)
			i += n
		case c < 0x20:
			return nil, 0, &syntaxError{i, fmt.Sprintf("control character %#02x in a string", c)}
		default:
			r, n := utf8.DecodeRune(src[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return nil, 0, &syntaxError{start, "a string that does not end"}
}

// unescape decodes the escape sequence at src[i] and returns its length. A
// surrogate without its partner is U+FFFD.
func unescape(src []byte, i int) (r rune, n int, err error) {
	if i+1 >= len(src) {
		return 0, 0, &syntaxError{i, "a string that does not end"}
	}
	switch c := src[i+1]; c {
	case '"', '\\', '/':
		return rune(c), 2, nil
	case 'b':
		return '\b', 2, nil
	case 'f':
		return '\f', 2, nil
	case 'n':
		return '\n', 2, nil
	case 'r':
		return '\r', 2, nil
	case 't':
		return '\t', 2, nil
	case 'u':
		r, ok := hex4(src, i+2)
		if !ok {
			break
		}
		if r < 0xd800 || r > 0xdfff {
			return r, 6, nil
		}
		if r < 0xdc00 && i+7 < len(src) && src[i+6] == '\\' && src[i+7] == 'u' {
			if low, ok := hex4(src, i+8); ok && low >= 0xdc00 && low <= 0xdfff {
				return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12, nil
			}
		}
		return utf8.RuneError, 6, nil
	}
	return 0, 0, &syntaxError{i, "an escape sequence JSON does not know"}
}

func hex4(src []byte, i int) (rune, bool) {
	if i+4 > len(src) {
		return 0, false
	}
	var r rune
	for _, c := range src[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendRune appends r as it stands in a canonical string.
func appendRune(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r >= 0x20:
		return utf8.AppendRune(dst, r)
	}
	switch r {
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&0xf])
}

// appendNumber appends the number literal at src[i] as it stands.
func appendNumber(dst, src []byte, i int) ([]byte, int, error) {
	start := i
	digits := func() bool {
		from := i
		for i < len(src) && '0' <= src[i] && src[i] <= '9' {
			i++
		}
		return i > from
	}
	bad := func() ([]byte, int, error) { return nil, 0, &syntaxError{start, "a malformed number"} }
	if src[i] == '-' {
		i++
	}
	if i < len(src) && src[i] == '0' {
		i++
	} else if !digits() {
		return bad()
	}
	if i < len(src) && src[i] == '.' {
		i++
		if !digits() {
			return bad()
		}
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		if !digits() {
			return bad()
		}
	}
	return append(dst, src[start:i]...), i, nil
}

// appendLiteral appends true, false or null at src[i].
func appendLiteral(dst, src []byte, i int) ([]byte, int, error) {
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(src[i:], []byte(word)) {
			return append(dst, word...), i + len(word), nil
		}
	}
	return nil, 0, &syntaxError{i, fmt.Sprintf("%q where a value is due", src[i])}
}

// quote returns s as a canonical JSON string.
func quote(s string) json.RawMessage { return appendQuoted(make([]byte, 0, len(s)+2), s) }

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = appendRune(dst, r)
		i += n
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// quotedChars returns how many characters s has as a canonical JSON string,
// quotes included.
func quotedChars(s string) int {
	n := 2
	for _, r := range s {
		switch {
		case r >= 0x20 && r != '"' && r != '\\':
			n++
		case r < 0x20 && r != '\n' && r != '\r' && r != '\t' && r != '\b' && r != '\f':
			n += len(`\u0000`)
		default:
			n += 2
		}
	}
	return n
}

// The functions below read canonical JSON, which is known to be valid and to
// have no space between its tokens.

// Kind returns the kind of a JSON value without space before it, for a person:
// "an object", "a list", "a string", "a boolean", "null", "a number", "nothing".
func Kind(v json.RawMessage) string {
	if len(v) == 0 {
		return "nothing"
	}
	switch v[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || v[0] == 'n' }

// text returns the text of a canonical string.
func text(v json.RawMessage) string {
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v)
	}
	out := make([]byte, 0, len(v))
	for i := 0; i < len(v); {
		if v[i] != '\\' {
			out = append(out, v[i])
			i++
			continue
		}
		r, n, err := unescape(v, i)
		if err != nil {
			return string(out) // cannot be: v is canonical
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	return string(out)
}

// valueEnd returns where the canonical value at v[i] ends.
func valueEnd(v []byte, i int) int {
	for depth := 0; i < len(v); {
		switch v[i] {
		case '"':
			i++
			for v[i] != '"' {
				if v[i] == '\\' {
					i++
				}
				i++
			}
			i++
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':':
			i++
			continue
		default:
			for i < len(v) && v[i] != ',' && v[i] != '}' && v[i] != ']' {
				i++
			}
		}
		if depth == 0 {
			break
		}
	}
	return i
}

// items returns the values of a canonical list.
func items(list json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	for i := 1; i < len(list)-1; i++ {
		end := valueEnd(list, i)
		out = append(out, list[i:end:end])
		i = end
	}
	return out
}

// field is one key of an object with its value.
type field struct {
	key   string
	value json.RawMessage
}

// fields returns the fields of a canonical object, in order. Where a key
// stands twice its last value counts, in the place of the first.
func fields(object json.RawMessage) []field {
	var out []field
	for i := 1; i < len(object)-1; i++ {
		end := valueEnd(object, i)
		key := text(object[i:end])
		i = end + 1
		end = valueEnd(object, i)
		out = append(out, field{key, object[i:end:end]})
		i = end
	}
	if len(out) < 2 {
		return out
	}
	at := make(map[string]int, len(out))
	kept := out[:0]
	for _, f := range out {
		if j, ok := at[f.key]; ok {
			kept[j].value = f.value
			continue
		}
		at[f.key] = len(kept)
		kept = append(kept, f)
	}
	return kept
}

// marshal returns v, a value of the engine's own that cannot fail to encode,
// in canonical JSON.
func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return refusal("the answer cannot be written as JSON: " + err.Error())
	}
	c, _, err := canonical(raw)
	if err != nil {
		return refusal("the answer cannot be written as JSON: " + err.Error())
	}
	return c
}

// refusal returns {"error": why}.
func refusal(why string) json.RawMessage {
	return append(append([]byte(`{"error":`), quote(why)...), '}')
}
