package config

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Setting is one value to write into a configuration: the keys that lead to it
// and its text, a number or a word.
type Setting struct {
	Keys []string // such as tools, tool_search, threshold_pct
	Text string
}

// Splice writes settings into the text of a configuration and returns the new
// text. Only the values themselves change, or are put in where they are
// missing: comments, order, line ends and every other byte stay. Where that
// cannot be done without changing what anything else means, it is an error, and
// says why.
func Splice(name string, data []byte, settings []Setting) ([]byte, error) {
	out := data
	for _, s := range settings {
		next, err := spliceOne(name, out, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w: change it by hand", name, strings.Join(s.Keys, "."), err)
		}
		out = next
	}
	if err := sameButFor(name, data, out, settings); err != nil {
		return nil, fmt.Errorf("%s: %w: change it by hand", name, err)
	}
	return out, nil
}

// splicer writes one setting into one text.
type splicer struct {
	data    []byte
	lines   []int // where each line begins
	eol     string
	several bool // documents
}

func spliceOne(name string, data []byte, s Setting) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("the YAML reader gave up (%v)", r)
		}
	}()
	if len(data) > maxFileBytes || tooDeep(data) > 0 {
		return nil, errors.New("the file is too large or nested too deep")
	}
	p := splicer{data: data, lines: []int{0}, eol: "\n"}
	for i, c := range data {
		if c == '\n' || c == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
			p.lines = append(p.lines, i+1)
		}
	}
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		p.eol = "\r\n"
	}
	bom := bytes.HasPrefix(data, []byte("\ufeff"))
	if bom {
		p.lines[0] = len("\ufeff")
	}
	file, err := parser.ParseBytes(bytes.TrimPrefix(data, []byte("\ufeff")), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(name, err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if _, ok := doc.Body.(*ast.DirectiveNode); ok {
			return nil, errors.New("the file has a YAML directive")
		}
		if body != nil {
			p.several = true
			break
		}
		body = doc.Body
	}
	if body == nil {
		return p.insert(len(data), p.separated(len(data))+nested(s.Keys, s.Text, 0, p.eol)), nil
	}
	return p.set(body, nil, s.Keys, s.Text)
}

// set writes the value under the keys left, below a node. The key is the one
// that the node is the value of, nil for the root.
func (p splicer) set(n ast.Node, key ast.Node, keys []string, text string) ([]byte, error) {
	values, flow, ok := mappingOf(n)
	if !ok {
		return p.widen(n, key, keys, text)
	}
	for _, v := range values {
		if keyText(v.Key) != keys[0] {
			continue
		}
		if len(keys) > 1 {
			return p.set(v.Value, v.Key, keys[1:], text)
		}
		return p.replace(v.Value, v.Key, text)
	}
	if flow != nil {
		at, err := p.offset(flow)
		if err != nil {
			return nil, err
		}
		if p.data[at] != '{' {
			return nil, errors.New("its place in the text is not found")
		}
		more := ""
		if len(values) > 0 {
			more = ", "
		}
		return p.insert(at+1, inFlow(keys, text)+more), nil
	}
	return p.insertBlock(values, key, keys, text)
}

// insertBlock puts a key into a block mapping: on the line after the mapping's
// own key, and into the root mapping at the end of the file.
func (p splicer) insertBlock(values []*ast.MappingValueNode, key ast.Node, keys []string, text string) ([]byte, error) {
	first := values[0].Key
	at, err := p.offset(first)
	if err != nil {
		return nil, err
	}
	begin := p.lines[lineOf(first)-1]
	if strings.TrimLeft(string(p.data[begin:at]), " ") != "" {
		return nil, errors.New("the mapping it belongs to does not begin on a line of its own")
	}
	indent := at - begin
	switch {
	case key != nil:
		if lineOf(key) >= lineOf(first) {
			return nil, errors.New("the mapping it belongs to begins on the line of its key")
		}
		begin = p.lines[lineOf(key)]
	case !p.several:
		begin = len(p.data)
	}
	return p.insert(begin, p.separated(begin)+nested(keys, text, indent, p.eol)), nil
}

// separated is the line end that has to come before something put in there.
func (p splicer) separated(at int) string {
	if at > 0 && at == len(p.data) && p.data[at-1] != '\n' && p.data[at-1] != '\r' && at != p.lines[0] {
		return p.eol
	}
	return ""
}

// widen makes a mapping of a value that is none: nothing at all, or a scalar
// that stands for enabled.
func (p splicer) widen(n ast.Node, key ast.Node, keys []string, text string) ([]byte, error) {
	if key == nil {
		return nil, errors.New("the file is no mapping")
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return p.replace(n, key, "{"+inFlow(keys, text)+"}")
	case *ast.BoolNode, *ast.StringNode, *ast.IntegerNode, *ast.FloatNode:
		if keyText(key) != "tool_search" || len(keys) != 1 {
			return nil, fmt.Errorf("%s is no mapping", keyText(key))
		}
		fields := ""
		if keys[0] != "enabled" {
			fields = "enabled: " + switchOf(n) + ", "
		}
		return p.replace(n, key, "{"+fields+inFlow(keys, text)+"}")
	}
	return nil, fmt.Errorf("%s is an alias, an anchor, a tag or a list, whose value others may share", keyText(key))
}

// switchOf is what a scalar in place of the block stands for.
func switchOf(n ast.Node) string {
	if b, ok := n.(*ast.BoolNode); ok {
		if b.Value {
			return "auto"
		}
		return "off"
	}
	return strings.TrimSpace(n.GetToken().Origin)
}

// replace puts a text in the place of a scalar.
func (p splicer) replace(n ast.Node, key ast.Node, text string) ([]byte, error) {
	switch n := n.(type) {
	case *ast.NullNode:
		if !p.written(n, key) {
			return p.afterKey(key, text)
		}
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.InfinityNode, *ast.NanNode:
	default:
		return nil, errors.New("its value is no plain scalar")
	}
	begin, err := p.offset(n)
	if err != nil {
		return nil, err
	}
	end, err := p.scalarEnd(begin)
	if err != nil {
		return nil, err
	}
	return append(append(bytes.Clone(p.data[:begin]), text...), p.data[end:]...), nil
}

// written reports whether a null stands in the text, as ~ or null, and is not
// just nothing after its key.
func (p splicer) written(n, key ast.Node) bool {
	at, err := p.offset(n)
	before, _ := p.offset(key)
	if err != nil || at <= before {
		return false
	}
	end, err := p.scalarEnd(at)
	word := ""
	if err == nil {
		word = string(p.data[at:end])
	}
	return word == "~" || strings.EqualFold(word, "null")
}

// afterKey puts a value behind a key that has none.
func (p splicer) afterKey(key ast.Node, text string) ([]byte, error) {
	at, err := p.offset(key)
	if err != nil {
		return nil, err
	}
	end, err := p.scalarEnd(at)
	if err != nil {
		return nil, err
	}
	for end < len(p.data) && (p.data[end] == ' ' || p.data[end] == '\t') {
		end++
	}
	if end >= len(p.data) || p.data[end] != ':' {
		return nil, errors.New("the colon after its key is not found")
	}
	return p.insert(end+1, " "+text), nil
}

// scalarEnd returns where the scalar that begins at an offset ends: at the
// quote that closes it, or where a plain one does.
func (p splicer) scalarEnd(begin int) (int, error) {
	line := p.data[begin:]
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	if len(line) == 0 {
		return 0, errors.New("its place in the text is not found")
	}
	switch quote := line[0]; quote {
	case '"', '\'':
		for i := 1; i < len(line); i++ {
			switch {
			case line[i] == '\\' && quote == '"':
				i++
			case line[i] == quote && quote == '\'' && i+1 < len(line) && line[i+1] == quote:
				i++
			case line[i] == quote:
				return begin + i + 1, nil
			}
		}
		return 0, errors.New("its value goes over several lines")
	case '|', '>', '&', '*', '!', '[', '{':
		return 0, errors.New("its value is no plain scalar")
	}
	end := len(line)
	for i, c := range line {
		if c == '#' && i > 0 && (line[i-1] == ' ' || line[i-1] == '\t') || c == ',' || c == '}' || c == ']' ||
			c == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			end = i
			break
		}
	}
	return begin + len(bytes.TrimRight(line[:end], " \t")), nil
}

// offset returns where in the text a node begins.
func (p splicer) offset(n ast.Node) (int, error) {
	line, column := lineOf(n), columnOf(n)
	if m, ok := n.(*ast.MappingNode); ok && m.Start != nil && m.Start.Position != nil {
		line, column = m.Start.Position.Line, m.Start.Position.Column
	}
	if line < 1 || line > len(p.lines) || column < 1 {
		return 0, errors.New("its place in the text is not known")
	}
	at := p.lines[line-1]
	for ; column > 1 && at < len(p.data); column-- {
		_, size := utf8.DecodeRune(p.data[at:])
		at += size
	}
	if at >= len(p.data) {
		return 0, errors.New("its place in the text is not found")
	}
	return at, nil
}

func (p splicer) insert(at int, text string) []byte {
	out := append(bytes.Clone(p.data[:at]), text...)
	return append(out, p.data[at:]...)
}

// mappingOf returns a mapping's pairs, and its own node where it is in braces.
func mappingOf(n ast.Node) (values []*ast.MappingValueNode, flow ast.Node, ok bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		if n.IsFlowStyle {
			flow = n
		}
		return n.Values, flow, flow != nil || len(n.Values) > 0
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil, true
	}
	return nil, nil, false
}

func keyText(k ast.Node) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return strings.TrimSpace(k.GetToken().Value)
}

// nested is a setting as block YAML, each key on a line of its own.
func nested(keys []string, text string, indent int, eol string) string {
	var b strings.Builder
	for i, key := range keys {
		b.WriteString(strings.Repeat(" ", indent+2*i) + key + ":")
		if i == len(keys)-1 {
			b.WriteString(" " + text)
		}
		b.WriteString(eol)
	}
	return b.String()
}

// inFlow is a setting inside braces.
func inFlow(keys []string, text string) string {
	if len(keys) == 1 {
		return keys[0] + ": " + text
	}
	return keys[0] + ": {" + inFlow(keys[1:], text) + "}"
}

// sameButFor checks that two texts mean the same but for the settings, which
// are in the second one.
func sameButFor(name string, before, after []byte, settings []Setting) error {
	old, _, err := parseYAML(name, before)
	if err != nil {
		return err
	}
	now, _, err := parseYAML(name, after)
	if err != nil {
		return fmt.Errorf("writing it would break the file (%w)", err)
	}
	want, ok := old.plain()
	got, fine := now.plain()
	if !ok || !fine {
		return errors.New("the file unfolds to too many values")
	}
	for _, s := range settings {
		value, _, err := parseYAML(name, []byte(s.Text))
		if err != nil {
			return err
		}
		plain, _ := value.plain()
		want = withSetting(want, s.Keys, plain)
	}
	if !equalPlain(want, got) {
		return errors.New("writing it would change what other keys mean")
	}
	return nil
}

// withSetting returns a decoded value with a setting in it.
func withSetting(v any, keys []string, value any) any {
	if len(keys) == 0 {
		return value
	}
	out := map[string]any{}
	switch m := v.(type) {
	case map[string]any:
		for k, item := range m {
			out[k] = item
		}
	case nil:
	case bool:
		out["enabled"] = map[bool]any{true: "auto", false: "off"}[m]
	default:
		out["enabled"] = m
	}
	out[keys[0]] = withSetting(out[keys[0]], keys[1:], value)
	return out
}

// equalPlain compares decoded values; what is no number equals itself.
func equalPlain(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok || len(a) != len(m) {
			return false
		}
		for k, v := range a {
			other, ok := m[k]
			if !ok || !equalPlain(v, other) {
				return false
			}
		}
		return true
	case []any:
		l, ok := b.([]any)
		if !ok || len(a) != len(l) {
			return false
		}
		for i := range a {
			if !equalPlain(a[i], l[i]) {
				return false
			}
		}
		return true
	case float64:
		f, ok := b.(float64)
		return ok && (a == f || math.IsNaN(a) && math.IsNaN(f))
	}
	return a == b
}
