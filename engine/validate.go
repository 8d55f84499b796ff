package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	wrong "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Violation is one way in which arguments do not match a schema.
type Violation struct {
	Path    string // JSON pointer into the arguments; "" is the whole
	Message string // what was found and what is due, for a person or a model
}

// Validation is what came of holding arguments against a tool's schema.
type Validation struct {
	Checked    bool   // false where the schema cannot be used; a note says why
	Draft      string // the draft it was read as: "2020-12", "draft-07", …
	Violations []Violation
	Notes      []string // what of the schema was skipped or repaired

	apart bool // every property that is missing or unknown is a violation at its own path, and none is left out
}

// Valid reports whether nothing speaks against the arguments. A schema that
// cannot be used speaks against nothing.
func (v Validation) Valid() bool { return len(v.Violations) == 0 }

// maxViolations bounds how many violations are told.
const maxViolations = 20

// drafts are the versions of JSON Schema, the default first.
func drafts() []draft {
	return []draft{
		{"2020-12", "json-schema.org/draft/2020-12/schema", jsonschema.Draft2020},
		{"draft-07", "json-schema.org/draft-07/schema", jsonschema.Draft7},
		{"2019-09", "json-schema.org/draft/2019-09/schema", jsonschema.Draft2019},
		{"draft-06", "json-schema.org/draft-06/schema", jsonschema.Draft6},
		{"draft-04", "json-schema.org/draft-04/schema", jsonschema.Draft4},
	}
}

type draft struct {
	name, url string
	is        *jsonschema.Draft
}

// Validate holds arguments, a JSON object, against the tool's schema: the
// engine's specification, §7. The draft is the one the schema declares, 2020-12
// where it declares none. "nullable": true is honoured; formats are annotations.
// Nothing is ever fetched.
func (t Tool) Validate(arguments json.RawMessage) Validation {
	return newChecker(t.schema()).check(arguments, Validation{})
}

// maxSchemaDepth is how deep a schema may nest to be used: the validator's own
// work grows with the cube of it.
const maxSchemaDepth = 128

// checker is a schema made ready for holding arguments against it. It never
// changes.
type checker struct {
	compiled *jsonschema.Schema // nil: the schema cannot be used
	root     map[string]any     // the schema, for estimating the work; nil where it is no object
	draft    string
	notes    []string
}

// newChecker makes a schema ready.
func newChecker(raw json.RawMessage) checker {
	var v Validation
	schema, err := decodeJSON(raw)
	if err != nil {
		return checker{notes: v.unusable(err).Notes}
	}
	if depth, _ := extent(schema); depth > maxSchemaDepth {
		return checker{notes: v.unusable(fmt.Errorf("it nests %d levels deep, more than the %d that are checked", depth, maxSchemaDepth)).Notes}
	}
	root, ok := schema.(map[string]any)
	as := drafts()[:1]
	if ok {
		as = v.declare(root)
		r := schemaReader{}
		r.gather(root)
		r.prepare(root)
		v.Notes = append(v.Notes, r.notes...)
	}
	compiled, v := v.compile(schema, as)
	return checker{compiled, root, v.Draft, v.Notes}
}

// check holds arguments against the schema. Of v only how to tell it counts.
func (c checker) check(arguments json.RawMessage, v Validation) Validation {
	v.Notes = slices.Clone(c.notes)
	if c.compiled == nil {
		return v
	}
	value, err := decodeJSON(arguments)
	if err != nil {
		v.Violations = []Violation{{Message: "the arguments are no JSON"}}
		return v
	}
	if c.root != nil {
		depth, width := extent(value)
		w := work{root: c.root, width: max(1, width), known: map[workKey]int{}}
		if w.of(c.root, depth) >= maxChecks {
			return v.unusable(errors.New("its parts refer to each other so often that checking would not end in time"))
		}
	}
	v.Draft, v.Checked = c.draft, true
	return v.validate(c.compiled, value)
}

// leadOut takes out of a schema every reference that names another document,
// for one of them could not be followed.
func (v *Validation) leadOut(schema any) {
	if root, ok := schema.(map[string]any); ok {
		r := schemaReader{}
		r.prepare(root)
		v.Notes = append(v.Notes, r.notes...)
	}
}

func (v Validation) unusable(err error) Validation {
	v.Checked = false
	v.Notes = append(v.Notes, "the arguments are not validated, the schema cannot be used: "+cut(strings.Join(strings.Fields(err.Error()), " "), 300))
	return v
}

// declare returns the drafts to read a schema as, the declared one first. A
// schema that declares none, or one unknown, is often of an older draft.
func (v *Validation) declare(schema map[string]any) []draft {
	url, ok := schema["$schema"].(string)
	delete(schema, "$schema")
	if !ok || url == "" {
		return drafts()
	}
	bare := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"), "#"), "/")
	for _, d := range drafts() {
		if d.url == bare {
			return []draft{d}
		}
	}
	v.Notes = append(v.Notes, fmt.Sprintf("$schema %s is unknown: read as 2020-12", cut(url, 80)))
	return drafts()
}

// compile compiles with the first draft under which the schema is one; nil
// where there is none such.
func (v Validation) compile(schema any, as []draft) (*jsonschema.Schema, Validation) {
	var first error
	for i, d := range as {
		compiled, err := compile(schema, d.is)
		var load *jsonschema.LoadURLError
		if errors.As(err, &load) {
			v.leadOut(schema)
			compiled, err = compile(schema, d.is)
		}
		if err != nil {
			if i == 0 {
				first = err
			}
			continue
		}
		if i > 0 {
			v.Notes = append(v.Notes, "the schema is none of draft "+as[0].name+" and was read as "+d.name)
		}
		v.Draft = d.name
		return compiled, v
	}
	return nil, v.unusable(first)
}

// compile compiles a schema on its own: whatever would have to be loaded is
// refused.
func compile(schema any, d *jsonschema.Draft) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the validator failed: %v", r)
		}
	}()
	const url = "tool:///schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.DefaultDraft(d)
	if err := c.AddResource(url, schema); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// noLoader loads nothing.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("it is outside the schema and is never fetched")
}

func (v Validation) validate(schema *jsonschema.Schema, value any) (result Validation) {
	result = v
	defer func() {
		if r := recover(); r != nil {
			result = v.unusable(fmt.Errorf("the validator failed: %v", r))
		}
	}()
	err := schema.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		if err != nil {
			return v.unusable(err)
		}
		return v
	}
	v.tell(invalid)
	slices.SortStableFunc(v.Violations, func(a, b Violation) int { return strings.Compare(a.Path, b.Path) })
	if more := len(v.Violations) - maxViolations; more > 0 && !v.apart {
		v.Violations = v.Violations[:maxViolations]
		v.Notes = append(v.Notes, fmt.Sprintf("%d more violations are not shown", more))
	}
	return v
}

// tell gathers the violations of an error and those below it.
func (v *Validation) tell(e *jsonschema.ValidationError) {
	path := pointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *wrong.RefCycle:
		v.Notes = append(v.Notes, "a $ref leads back to itself and is skipped")
	case *wrong.AnyOf, *wrong.OneOf:
		v.Violations = append(v.Violations, Violation{path, v.alternatives(e)})
	case *wrong.Required:
		v.properties(path, k.Missing, func(names []string) jsonschema.ErrorKind { return &wrong.Required{Missing: names} })
	case *wrong.AdditionalProperties:
		v.properties(path, k.Properties, func(names []string) jsonschema.ErrorKind { return &wrong.AdditionalProperties{Properties: names} })
	case *wrong.DependentRequired:
		v.properties(path, k.Missing, func(names []string) jsonschema.ErrorKind {
			return &wrong.DependentRequired{Prop: k.Prop, Missing: names}
		})
	default:
		if len(e.Causes) == 0 {
			v.Violations = append(v.Violations, Violation{path, sentence(path, k)})
		}
		for _, cause := range e.Causes {
			v.tell(cause)
		}
	}
}

// properties tells a violation that is about some properties of what stands at
// a path.
func (v *Validation) properties(path string, names []string, kind func(names []string) jsonschema.ErrorKind) {
	if !v.apart {
		v.Violations = append(v.Violations, Violation{path, sentence(path, kind(names))})
		return
	}
	for _, name := range names {
		v.Violations = append(v.Violations, Violation{path + pointer([]string{name}), sentence(path, kind([]string{name}))})
	}
}

// alternatives says that none of several alternatives matches, and what is
// wrong with each of the first ones.
func (v *Validation) alternatives(e *jsonschema.ValidationError) string {
	subject := called(pointer(e.InstanceLocation))
	if k, ok := e.ErrorKind.(*wrong.OneOf); ok && len(k.Subschemas) > 0 {
		return fmt.Sprintf("%s matches more than one of the alternatives, exactly one is due", subject)
	}
	var each []string
	for _, cause := range e.Causes {
		var below Validation
		below.tell(cause)
		if len(below.Violations) > 0 && !slices.Contains(each, below.Violations[0].Message) {
			each = append(each, below.Violations[0].Message)
		}
	}
	const most = 3
	if len(each) > most {
		each = append(each[:most], "…")
	}
	if len(each) == 0 {
		return fmt.Sprintf("%s matches none of the alternatives", subject)
	}
	return fmt.Sprintf("%s matches none of the alternatives (%s)", subject, strings.Join(each, "; or "))
}

// sentence says what is wrong, in the words of a person who knows JSON.
func sentence(path string, k jsonschema.ErrorKind) string {
	subject := called(path)
	switch k := k.(type) {
	case *wrong.Required:
		return series(k.Missing, within(path), " and ") + verb(len(k.Missing), " is missing", " are missing")
	case *wrong.AdditionalProperties:
		return series(slices.Sorted(slices.Values(k.Properties)), within(path), " and ") + verb(len(k.Properties), " is no known property", " are no known properties")
	case *wrong.Type:
		return fmt.Sprintf("%s is %s where %s is due", subject, typeName(k.Got), series(k.Want, typeName, " or "))
	case *wrong.Enum:
		return fmt.Sprintf("%s is %s: one of %s is due", subject, short(k.Got), series(values(k.Want), asIs, " or "))
	case *wrong.Const:
		return fmt.Sprintf("%s is %s: %s is due", subject, short(k.Got), short(k.Want))
	case *wrong.Pattern:
		return fmt.Sprintf("%s is %s, which does not match %s", subject, short(k.Got), cut(k.Want, 80))
	case *wrong.FalseSchema:
		return subject + " must not be there"
	case *wrong.Not:
		return subject + " is what it must not be"
	case *wrong.MinLength:
		return fmt.Sprintf("%s has %d characters, at least %d are due", subject, k.Got, k.Want)
	case *wrong.MaxLength:
		return fmt.Sprintf("%s has %d characters, at most %d are due", subject, k.Got, k.Want)
	case *wrong.MinItems:
		return fmt.Sprintf("%s has %d items, at least %d are due", subject, k.Got, k.Want)
	case *wrong.MaxItems:
		return fmt.Sprintf("%s has %d items, at most %d are due", subject, k.Got, k.Want)
	case *wrong.UniqueItems:
		return fmt.Sprintf("items %d and %d of %s are equal", k.Duplicates[0], k.Duplicates[1], subject)
	case *wrong.DependentRequired:
		return fmt.Sprintf("%s is missing, which %s needs", series(k.Missing, within(path), " and "), k.Prop)
	}
	return subject + ": " + k.LocalizedString(message.NewPrinter(language.English))
}

// called is a place in the arguments as a person names it: labels[0].name.
func called(path string) string {
	if path == "" {
		return "the arguments object"
	}
	var b strings.Builder
	for _, step := range strings.Split(path[1:], "/") {
		if _, err := strconv.Atoi(step); err == nil && b.Len() > 0 {
			fmt.Fprintf(&b, "[%s]", step)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(cut(strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~"), 60))
	}
	return b.String()
}

// within names a property of what stands at a path.
func within(path string) func(name string) string {
	return func(name string) string { return called(path + pointer([]string{name})) }
}

func pointer(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// typeName is a JSON type with its article.
func typeName(name string) string {
	switch name {
	case "null":
		return "null"
	case "array":
		return "a list"
	case "integer":
		return "a whole number"
	case "object":
		return "an object"
	}
	return "a " + name
}

// maxListed bounds the names in one message.
const maxListed = 12

// series names some things and counts the rest: "a, b and c".
func series(names []string, as func(string) string, joint string) string {
	var all []string
	for i, n := range names {
		if i == maxListed {
			all = append(all, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		all = append(all, as(n))
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + joint + all[len(all)-1]
}

// values are values as JSON.
func values(all []any) []string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = short(v)
	}
	return names
}

func asIs(s string) string { return s }

func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// short is a value as JSON, cut to a few words.
func short(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return cut(string(raw), 60)
}

// decodeJSON decodes numbers as they stand, so that large ones stay exact.
func decodeJSON(raw json.RawMessage) (any, error) {
	return jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
}
