package config

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The bounds of a file: a person's configuration comes nowhere near, a parser
// that recurses stays inside its stack, and one that takes the square of the
// keys' number stays within reason.
const (
	maxFileBytes = 2 << 20
	maxDepth     = 500
)

// parseYAML reads the first document of a file. Its error names file, line and
// column, never the text found there, which may be a secret.
func parseYAML(name string, data []byte) (root *node, warnings []place, err error) {
	// The parser is a third party's and the file may be anything.
	defer func() {
		if r := recover(); r != nil {
			root, warnings, err = nil, nil, fmt.Errorf("%s: the YAML reader gave up on this file (%v): simplify it or check it with another YAML tool", name, r)
		}
	}()
	if len(data) > maxFileBytes {
		return nil, nil, fmt.Errorf("%s: %d bytes are too many for a configuration (at most %d)", name, len(data), maxFileBytes)
	}
	if line := tooDeep(data); line > 0 {
		return nil, nil, fmt.Errorf("%s:%d: nested deeper than %d levels: flatten the file", name, line, maxDepth)
	}
	file, err := parser.ParseBytes([]byte(strings.TrimPrefix(string(data), "\ufeff")), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, nil, syntaxError(name, err)
	}
	r := reader{name: name, anchors: map[string]*node{}}
	for i, doc := range file.Docs {
		if root != nil {
			r.warn(docLine(doc), "", "the file holds several YAML documents: only the first is read")
			break
		}
		if doc.Body == nil {
			continue
		}
		if _, ok := doc.Body.(*ast.DirectiveNode); ok && i+1 < len(file.Docs) {
			continue // %YAML stands in a document of its own
		}
		if root, err = r.node(doc.Body, 0); err != nil {
			return nil, nil, err
		}
	}
	return root, r.warnings, nil
}

// place is a warning about the file's text itself.
type place struct {
	line    int
	key     string
	message string
}

// tooDeep returns the line at which the nesting passes maxDepth by brackets, by
// indentation or by a run of list dashes; 0 where it does not. Brackets inside
// strings count too: no real file has hundreds of unclosed ones.
func tooDeep(data []byte) int {
	line, depth, dashes, start := 1, 0, 0, true
	indent, indents := 0, []int{0}
	for _, c := range data {
		switch c {
		case '\n':
			line++
			indent, dashes, start = 0, 0, true
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if start {
			switch c {
			case ' ', '\t':
				indent++
			case '-', '?':
				dashes++
				indent++
			default:
				start = false
				for len(indents) > 1 && indents[len(indents)-1] >= indent {
					indents = indents[:len(indents)-1]
				}
				indents = append(indents, indent)
			}
		}
		if depth > maxDepth || dashes > maxDepth || len(indents) > maxDepth {
			return line
		}
	}
	return 0
}

// syntaxError renames the parser's error: file:line:column, what was found,
// what to do.
func syntaxError(name string, err error) error {
	var syntax yaml.Error
	if errors.As(err, &syntax) && syntax.GetToken() != nil && syntax.GetToken().Position != nil {
		at := syntax.GetToken().Position
		if strings.Contains(syntax.GetMessage(), "'\t'") {
			return fmt.Errorf("%s:%d:%d: there is a tab in the indentation: YAML takes spaces alone", name, at.Line, at.Column)
		}
		return fmt.Errorf("%s:%d:%d: %s: correct the YAML there (indentation, quotes, a missing colon)", name, at.Line, at.Column, syntax.GetMessage())
	}
	return fmt.Errorf("%s: not readable as YAML: check it with another YAML tool", name)
}

// reader turns the parser's tree into nodes.
type reader struct {
	name     string
	anchors  map[string]*node // nil while the anchor's own value is being read
	warnings []place
}

func (r *reader) warn(line int, key, message string) {
	r.warnings = append(r.warnings, place{line, key, message})
}

func (r *reader) errorf(n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", r.name, lineOf(n), columnOf(n), fmt.Sprintf(format, args...))
}

func (r *reader) node(n ast.Node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, r.errorf(n, "nested deeper than %d levels: flatten the file", maxDepth)
	}
	switch n := n.(type) {
	case nil:
		return &node{}, nil
	case *ast.AnchorNode:
		return r.anchor(n, depth)
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		target, known := r.anchors[name]
		switch {
		case !known:
			return nil, r.errorf(n, "the alias *%s has no anchor &%s before it: define the anchor first", name, name)
		case target == nil:
			return nil, r.errorf(n, "the alias *%s stands inside its own anchor: a value cannot contain itself", name)
		}
		return target, nil
	case *ast.TagNode:
		return r.tagged(n, depth)
	case *ast.SequenceNode:
		list := &node{kind: kindList, line: lineOf(n)}
		for _, v := range n.Values {
			item, err := r.node(v, depth+1)
			if err != nil {
				return nil, err
			}
			list.items = append(list.items, item)
		}
		return list, nil
	case *ast.MappingNode:
		return r.mapping(n, n.Values, depth)
	case *ast.MappingValueNode:
		return r.mapping(n, []*ast.MappingValueNode{n}, depth)
	default:
		return scalar(n), nil
	}
}

func (r *reader) anchor(n *ast.AnchorNode, depth int) (*node, error) {
	name := n.Name.GetToken().Value
	r.anchors[name] = nil
	value, err := r.node(n.Value, depth+1)
	if err != nil {
		return nil, err
	}
	r.anchors[name] = value
	return value, nil
}

// tagged honours !!str, which keeps a number or boolean a string, and passes
// over every other tag.
func (r *reader) tagged(n *ast.TagNode, depth int) (*node, error) {
	value, err := r.node(n.Value, depth+1)
	if err != nil {
		return nil, err
	}
	if n.Start.Value == "!!str" && (value.scalar() || value.kind == kindNull) {
		return &node{kind: kindString, line: value.line, text: value.text, value: value.text}, nil
	}
	return value, nil
}

// mapping reads keys in order. A key given twice takes the later value, as
// Hermes' YAML reader does, and is warned about; << fills in what the mapping
// itself does not say.
func (r *reader) mapping(at ast.Node, values []*ast.MappingValueNode, depth int) (*node, error) {
	m := &node{kind: kindMap, line: lineOf(at)}
	if len(values) > 0 {
		m.line = lineOf(values[0].Key)
	}
	index := map[string]int{}
	var merges []*node
	for _, v := range values {
		value, err := r.node(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		if v.Key.IsMergeKey() {
			if value.kind == kindList {
				merges = append(merges, value.items...)
			} else {
				merges = append(merges, value)
			}
			continue
		}
		key, line := r.key(v.Key), lineOf(v.Key)
		if i, twice := index[key]; twice {
			r.warn(line, key, fmt.Sprintf("%q stands twice in one mapping, on lines %d and %d: the later one is used", key, m.pairs[i].line, line))
			m.pairs[i].value, m.pairs[i].line = value, line
			continue
		}
		index[key] = len(m.pairs)
		m.pairs = append(m.pairs, pair{key, line, value})
	}
	for _, merged := range merges {
		for _, p := range merged.pairs {
			if _, own := index[p.key]; !own {
				index[p.key] = len(m.pairs)
				m.pairs = append(m.pairs, p)
			}
		}
	}
	return m, nil
}

func (r *reader) key(k ast.MapKeyNode) string {
	if n, err := r.node(k, 0); err == nil && n.scalar() {
		return n.text
	}
	return strings.TrimSpace(k.GetToken().Value)
}

func scalar(n ast.Node) *node {
	s := &node{line: lineOf(n)}
	if tk := n.GetToken(); tk != nil {
		s.text = tk.Value
	}
	switch n := n.(type) {
	case *ast.BoolNode:
		s.kind, s.value = kindBool, n.Value
	case *ast.IntegerNode:
		s.kind, s.value = kindNumber, n.Value
	case *ast.FloatNode:
		s.kind, s.value = kindNumber, n.Value
	case *ast.InfinityNode:
		s.kind, s.value = kindNumber, n.Value
	case *ast.NanNode:
		s.kind, s.value = kindNumber, math.NaN()
	case *ast.StringNode:
		s.kind, s.text, s.value = kindString, n.Value, n.Value
	case *ast.LiteralNode:
		s.kind, s.text, s.value = kindString, n.Value.Value, n.Value.Value
	case *ast.MappingKeyNode:
		return scalar(n.Value)
	case *ast.NullNode:
		if s.text != "" && s.text != "~" && !strings.EqualFold(s.text, "null") {
			s.text = ""
		}
	}
	return s
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

func columnOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Column
}

func docLine(doc *ast.DocumentNode) int {
	if doc.Start == nil || doc.Start.Position == nil {
		return 0
	}
	return doc.Start.Position.Line
}
