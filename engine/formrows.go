package engine

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	wrong "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// build returns the form with these arguments, a canonical object, laid out and
// validated.
func (f CallForm) build(arguments json.RawMessage) CallForm {
	l := formLayout{formReader: f.reader()}
	f.arguments = l.lay(f.root(), formPlace{}, parseNode(arguments))
	f.rows = l.rows
	v := f.checker.check(f.arguments, Validation{apart: true})
	for _, ref := range l.strange {
		// What is outside the schema is told by the validation already.
		if !slices.ContainsFunc(v.Notes, func(n string) bool { return strings.HasPrefix(n, "$ref "+ref+" is outside") }) {
			l.note("the form does not follow $ref %s: anything can be filled in there", ref)
		}
	}
	f.notes = slices.Concat(f.given, l.notes, v.Notes)
	f.problems = v.Violations
	if !v.Checked {
		f.problems = l.wrong
	}
	f.locate(v.Checked, l.own)
	return f
}

// locate puts each problem at its row, or at the nearest row above it. Where
// alternatives are at fault, the validator tells what is wrong with each; the
// rows below tell what is wrong with the chosen one.
func (f *CallForm) locate(checked bool, own []string) {
	at := make(map[string]int, len(f.rows))
	for i, r := range f.rows {
		at[r.Path] = i
	}
	for _, p := range f.problems {
		for path := p.Path; ; path = path[:strings.LastIndexByte(path, '/')] {
			if i, ok := at[path]; ok {
				if f.rows[i].Problem == "" {
					f.rows[i].Problem = p.Message
				}
				break
			}
			if path == "" {
				break
			}
		}
	}
	if !checked {
		return
	}
	under, in := "", false
	for i := range f.rows {
		r := &f.rows[i]
		in = in && strings.HasPrefix(r.Path, under+"/")
		if in && r.Problem == "" {
			r.Problem = own[i]
		}
		if !in && len(r.Choices) > 0 && r.Problem != "" {
			under, in = r.Path, true
		}
	}
}

// formLayout makes the rows of a form.
type formLayout struct {
	*formReader
	rows  []CallField
	own   []string    // of each row, what is wrong with it as far as its shape tells
	wrong []Violation // the same, of those that have something wrong
}

// formPlace is where a row stands.
type formPlace struct {
	path, name              string
	depth                   int
	required, item, unknown bool
}

// lay adds the rows of a value, nil where there is none, and returns it with
// its keys in order.
func (l *formLayout) lay(schemas []*jsonNode, p formPlace, value *jsonNode) json.RawMessage {
	if len(l.rows) >= maxFormFields {
		l.note("only the first %d fields are shown; the arguments keep what the others hold", maxFormFields)
		return rawOf(value)
	}
	s := l.shape(schemas, p.path, value)
	row, whole := len(l.rows), p.path == ""
	if !whole || s.choices != nil {
		l.add(s, p, value)
	}
	raw := rawOf(value)
	switch {
	case value == nil || len(value.kids) == 0 && len(s.props) == 0:
	case p.depth >= maxFormDepth:
		l.note("fields more than %d levels deep are not shown; the arguments keep what they hold", maxFormDepth)
	case value.is("object"):
		raw = l.object(s, p, value)
	case value.is("array"):
		raw = l.list(s, p, value)
	}
	if raw != nil && row < len(l.rows) && l.rows[row].Path == p.path {
		l.rows[row].Value = raw
		l.rows[row].Text = s.typed(raw)
	}
	return raw
}

// below returns the place of what stands in another.
func (p formPlace) below(name string) formPlace {
	depth := p.depth + 1
	if p.path == "" {
		depth = 0
	}
	return formPlace{path: p.path + pointer([]string{name}), name: name, depth: depth}
}

// add adds one row.
func (l *formLayout) add(s formShape, p formPlace, value *jsonNode) {
	f := CallField{
		Path: p.path, Name: p.name, Depth: p.depth, Required: p.required, Item: p.item, Unknown: p.unknown,
		Types: s.types, Enum: s.enum, Const: s.constant, Default: s.initial,
		Description: s.description, Format: s.format, Choice: s.chosen, Set: value != nil,
	}
	if f.Description == "" {
		f.Description = s.title
	}
	if len(f.Types) == 0 {
		f.Types = []string{"any"}
	}
	f.More = !s.closed && (value.is("object") || slices.Contains(f.Types, "object"))
	for i, c := range s.choices {
		f.Choices = append(f.Choices, l.summary(c, i))
	}
	own := s.problem(p, value)
	l.rows, l.own = append(l.rows, f), append(l.own, own)
	if own != "" {
		l.wrong = append(l.wrong, Violation{p.path, own})
	}
}

// problem says what is wrong with a value, as far as its shape tells.
func (s formShape) problem(p formPlace, value *jsonNode) string {
	var k jsonschema.ErrorKind
	switch {
	case value == nil && p.required:
		return called(p.path) + " is missing"
	case value == nil:
		return ""
	case s.never:
		k = &wrong.FalseSchema{}
	case !s.takes(value.raw):
		k = &wrong.Type{Got: jsonType(value.raw), Want: s.types}
	case !s.allows(value.raw) && s.constant != nil:
		k = &wrong.Const{Got: decoded(value.raw), Want: decoded(s.constant)}
	case !s.allows(value.raw):
		want := make([]any, len(s.enum))
		for i, v := range s.enum {
			want[i] = decoded(v)
		}
		k = &wrong.Enum{Got: decoded(value.raw), Want: want}
	default:
		return ""
	}
	return sentence(p.path, k)
}

// decoded returns a canonical value decoded, for a sentence.
func decoded(v json.RawMessage) any {
	value, err := decodeJSON(v)
	if err != nil {
		return excerpt(v) // cannot be: v is canonical
	}
	return value
}

// object lays out what is in an object.
func (l *formLayout) object(s formShape, p formPlace, value *jsonNode) json.RawMessage {
	required := make(map[string]bool, len(s.required))
	for _, name := range s.required {
		required[name] = true
	}
	laid := make(map[string]json.RawMessage, len(value.keys))
	for _, name := range s.order() {
		below := p.below(name)
		below.required = required[name]
		kid := value.get(name)
		if len(l.rows) >= maxFormFields && kid == nil {
			l.lay(nil, below, nil) // for its note
			break
		}
		if raw := l.lay(s.property(name), below, kid); raw != nil {
			laid[name] = raw
		}
	}
	var out []field
	for _, prop := range s.props {
		raw, ok := laid[prop.name]
		if kid := value.get(prop.name); !ok && kid != nil {
			raw, ok = kid.raw, true // beyond the last row
		}
		if ok {
			out = append(out, field{prop.name, raw})
		}
	}
	for i, name := range value.keys {
		if _, known := s.at[name]; known {
			continue
		}
		below := p.below(name)
		below.unknown = true
		out = append(out, field{name, l.lay(s.extra, below, &value.kids[i])})
	}
	return joinFields(out)
}

// list lays out what is in a list.
func (l *formLayout) list(s formShape, p formPlace, value *jsonNode) json.RawMessage {
	out := []byte{'['}
	for i := range value.kids {
		if i > 0 {
			out = append(out, ',')
		}
		below := p.below(strconv.Itoa(i))
		below.item = true
		out = append(out, l.lay(s.item(i), below, &value.kids[i])...)
	}
	return append(out, ']')
}
