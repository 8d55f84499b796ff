package engine

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// jsonNode is a JSON value with its parts at hand, in order. It never changes
// once parsed, so that values may share it.
type jsonNode struct {
	raw  json.RawMessage // canonical
	keys []string        // of an object
	kids []jsonNode      // the values of an object, or the items of a list
	at   map[string]int  // where each key stands, in an object with many
}

// manyKeys is from how many keys on looking one up by one costs more than a map.
const manyKeys = 9

// parseNode reads a canonical value in one pass. Canonical values nest 5,000
// levels at most, so that it may recurse.
func parseNode(c json.RawMessage) *jsonNode {
	n, _ := parseNodeAt(c, 0)
	return &n
}

func parseNodeAt(src []byte, start int) (n jsonNode, end int) {
	switch i := start; src[i] {
	case '{':
		for i++; src[i] != '}'; {
			if src[i] == ',' {
				i++
			}
			end := valueEnd(src, i)
			key := text(src[i:end])
			kid, next := parseNodeAt(src, end+1)
			n.put(key, kid)
			i = next
		}
		end = i + 1
	case '[':
		for i++; src[i] != ']'; {
			if src[i] == ',' {
				i++
			}
			kid, next := parseNodeAt(src, i)
			n.kids = append(n.kids, kid)
			i = next
		}
		end = i + 1
	default:
		end = valueEnd(src, i)
	}
	n.raw = src[start:end:end]
	return n, end
}

// put adds a key. Where it stands already the last value counts, in the place
// of the first.
func (n *jsonNode) put(key string, kid jsonNode) {
	if i := n.find(key); i >= 0 {
		n.kids[i] = kid
		return
	}
	n.keys, n.kids = append(n.keys, key), append(n.kids, kid)
	switch {
	case n.at != nil:
		n.at[key] = len(n.keys) - 1
	case len(n.keys) >= manyKeys:
		n.at = make(map[string]int, 2*len(n.keys))
		for i, k := range n.keys {
			n.at[k] = i
		}
	}
}

func (n *jsonNode) find(key string) int {
	if n.at != nil {
		if i, ok := n.at[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range n.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// get returns the value of a key, nil where n is no object or has no such key.
func (n *jsonNode) get(key string) *jsonNode {
	if n == nil {
		return nil
	}
	if i := n.find(key); i >= 0 {
		return &n.kids[i]
	}
	return nil
}

// list returns the items of the list under a key.
func (n *jsonNode) list(key string) []*jsonNode {
	l := n.get(key)
	if !l.is("array") {
		return nil
	}
	out := make([]*jsonNode, len(l.kids))
	for i := range l.kids {
		out[i] = &l.kids[i]
	}
	return out
}

// texts returns the strings in the list under a key, or the string there.
func (n *jsonNode) texts(key string) []string {
	if one := n.get(key); one.is("string") {
		return []string{text(one.raw)}
	}
	var out []string
	for _, item := range n.list(key) {
		if item.is("string") {
			out = append(out, text(item.raw))
		}
	}
	return out
}

// text returns the string under a key, "" where there is none.
func (n *jsonNode) text(key string) string {
	if v := n.get(key); v.is("string") {
		return text(v.raw)
	}
	return ""
}

// step follows one step of a JSON pointer.
func (n *jsonNode) step(step string) *jsonNode {
	if n.is("array") {
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(n.kids) {
			return nil
		}
		return &n.kids[i]
	}
	return n.get(step)
}

// is reports whether n is there and of a JSON type. A whole number is also a
// number.
func (n *jsonNode) is(name string) bool { return n != nil && isType(n.raw, name) }

// isType reports whether a canonical value is of a JSON type.
func isType(v json.RawMessage, name string) bool {
	if name == "integer" {
		if jsonType(v) != "number" {
			return false
		}
		f, err := strconv.ParseFloat(string(v), 64)
		return err == nil && f == math.Trunc(f)
	}
	return jsonType(v) == name
}

// jsonType returns the JSON type of a canonical value: string, number, boolean,
// object, array or null.
func jsonType(v json.RawMessage) string {
	if len(v) == 0 {
		return "null"
	}
	switch v[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// steps returns the steps of a JSON pointer; false where it is none.
func steps(path string) ([]string, bool) {
	if path == "" {
		return nil, true
	}
	if path[0] != '/' {
		return nil, false
	}
	all := strings.Split(path[1:], "/")
	for i, s := range all {
		all[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return all, true
}
