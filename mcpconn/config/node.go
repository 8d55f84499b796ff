package config

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// kind is what a node of the file is.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindMap
)

// String names a kind as a warning does.
func (k kind) String() string {
	switch k {
	case kindBool:
		return "a boolean"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindList:
		return "a list"
	case kindMap:
		return "a mapping"
	default:
		return "nothing"
	}
}

// node is one value of the file with the place it stands at. An alias is the
// very node its anchor stands on, so the tree can be a graph (never a cyclic
// one), and text that unfolds to gigabytes costs nothing until it is unfolded.
type node struct {
	kind  kind
	line  int
	text  string // of a scalar, as it stands in the file, quotes resolved
	value any    // of a scalar: bool, int64, uint64, float64 or string
	items []*node
	pairs []pair
}

// pair is one key of a mapping and its value.
type pair struct {
	key   string
	line  int
	value *node
}

// get returns the value of a key, nil where it is absent. A nil node has none.
func (n *node) get(key string) *node {
	if n == nil || n.kind != kindMap {
		return nil
	}
	for _, p := range n.pairs {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// absent reports whether there is no value: no such key, or null.
func (n *node) absent() bool { return n == nil || n.kind == kindNull }

// scalar reports whether the node is a single value.
func (n *node) scalar() bool {
	return n != nil && (n.kind == kindBool || n.kind == kindNumber || n.kind == kindString)
}

// maxUnfolded bounds how many values one block may unfold to through aliases.
const maxUnfolded = 1_000_000

// plain turns a node into the values encoding/json would give: map[string]any,
// []any, string, bool, nil and numbers. ok is false where it unfolds to too much.
func (n *node) plain() (v any, ok bool) {
	left := maxUnfolded
	v = n.unfold(&left)
	return v, left >= 0
}

func (n *node) unfold(left *int) any {
	if *left--; *left < 0 || n == nil {
		return nil
	}
	switch n.kind {
	case kindList:
		list := make([]any, 0, len(n.items))
		for _, item := range n.items {
			list = append(list, item.unfold(left))
		}
		return list
	case kindMap:
		m := make(map[string]any, len(n.pairs))
		for _, p := range n.pairs {
			m[p.key] = p.value.unfold(left)
		}
		return m
	case kindNull:
		return nil
	default:
		return n.value
	}
}

// json writes a node as JSON with its keys in the order of the file. ok is
// false where it unfolds to too much. Infinities and NaN, which JSON does not
// have, are written as the strings they stand as.
func (n *node) json() (raw json.RawMessage, ok bool) {
	var b strings.Builder
	left := maxUnfolded
	n.writeJSON(&b, &left)
	return json.RawMessage(b.String()), left >= 0
}

func (n *node) writeJSON(b *strings.Builder, left *int) {
	if *left--; *left < 0 || n == nil {
		b.WriteString("null")
		return
	}
	switch n.kind {
	case kindNull:
		b.WriteString("null")
	case kindList:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.writeJSON(b, left)
		}
		b.WriteByte(']')
	case kindMap:
		b.WriteByte('{')
		for i, p := range n.pairs {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(p.key))
			b.WriteByte(':')
			p.value.writeJSON(b, left)
		}
		b.WriteByte('}')
	default:
		b.WriteString(jsonScalar(n))
	}
}

func jsonScalar(n *node) string {
	switch v := n.value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			if raw, err := json.Marshal(v); err == nil {
				return string(raw)
			}
		}
	}
	return quote(n.text)
}

// quote writes a string as JSON without the escapes meant for HTML.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string cannot fail to encode, and a strings.Builder cannot fail to write.
	_ = enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// children returns the pairs of a mapping; none where it is none.
func (n *node) children() []pair {
	if n == nil {
		return nil
	}
	return n.pairs
}

// itemCount returns how many items a list has; 0 where it is none.
func (n *node) itemCount() int {
	if n == nil {
		return 0
	}
	return len(n.items)
}

// lineOf returns the line of a key, 0 where it is absent.
func (n *node) lineOf(key string) int {
	if n != nil {
		for _, p := range n.pairs {
			if p.key == key {
				return p.line
			}
		}
	}
	return 0
}
