package engine

import (
	"encoding/json"
	"slices"
	"strings"
)

// CallForm is a form for composing the arguments of a call: a row for each
// place in them that the tool's schema names or that holds a value. It is a
// value: an operation returns another form and leaves its own as it is. Make
// one with [NewCallForm]; the zero CallForm is one without a schema.
//
// The schema is anybody's text. References are followed inside it and never
// out of it, an object is opened only where it is in the arguments, so that a
// schema which refers to itself opens level by level, and what is too large to
// be laid out is left out of the rows, with a note, and kept in the arguments.
type CallForm struct {
	schema    *jsonNode // nil: none that says anything
	checker   checker
	arguments json.RawMessage
	choices   map[string]int             // the alternatives that the person chose, by path
	kept      map[string]json.RawMessage // what was filled in for alternatives left since, by path and index
	given     []string                   // notes on what the form was made of

	rows     []CallField
	problems []Violation
	notes    []string
}

// CallField is a row of a form. All text in it is the server's own and hostile
// until displayed through a display function. Slices are not to be changed.
type CallField struct {
	Path     string   // JSON pointer into the arguments; "" is the whole
	Name     string   // of the property; of an item its index, from 0; "" for the whole
	Depth    int      // how far it is indented, from 0
	Types    []string // string, number, integer, boolean, object, array, null; "any" alone where the schema names none
	Required bool     // its object must have it
	Item     bool     // it is an item of a list
	Unknown  bool     // the schema does not name the property
	More     bool     // an object that takes properties which the schema does not name: Set(Path+"/name", text) adds one

	Enum    []json.RawMessage // the values to choose from; none: free
	Const   json.RawMessage   // the only value allowed; nil: none such
	Default json.RawMessage   // nil: none

	Description string // the title where the schema has no description
	Format      string // an annotation such as "date-time"; "" for none

	Choices []string // what each alternative of its oneOf or anyOf is; none: there are no two to choose from
	Choice  int      // the index of the alternative that the row and those below it follow; -1 without Choices

	Set     bool            // it is in the arguments
	Value   json.RawMessage // canonical JSON; nil where not Set
	Text    string          // the value as a person types it: where it is of one of the Types, [CallForm.Set] makes it again
	Problem string          // what is wrong here or below in what no row shows; "" for nothing
}

// NewCallForm returns the form of a tool's schema, filled in with arguments.
//
// Arguments that are an object are taken as they stand, whether the schema
// allows them or not. Where they are missing, blank or null the form is new:
// what is required and can be only one thing is filled in, which is a default,
// a constant, the single value of an enum, null where nothing else is allowed,
// and a required object, opened, with the same inside. Everything else stays
// out, required or not: a value that nobody chose would go unnoticed into a
// call, and one that is missing is a problem shown at its row. Other arguments
// and schemas that are of no use are passed over with a note.
func NewCallForm(schema, arguments json.RawMessage) CallForm {
	var f CallForm
	switch c, err := Canonical(schema); {
	case len(strings.TrimSpace(string(schema))) == 0:
	case len(schema) > maxFormSchema:
		f.given = append(f.given, "the schema is too large for a form: anything can be filled in, and nothing is validated here")
	case err != nil:
		f.given = append(f.given, "the schema cannot be used, anything can be filled in: "+err.Error())
	case c[0] == '{':
		f.schema, f.checker = parseNode(c), newChecker(c)
	case string(c) != "null" && string(c) != "true":
		f.given = append(f.given, "the schema is "+Kind(c)+", not an object: anything can be filled in")
	}
	c, err := Canonical(arguments)
	switch blank := len(strings.TrimSpace(string(arguments))) == 0; {
	case blank || err == nil && string(c) == "null":
		return f.build(f.reader().start(f.root(), "", nil))
	case err != nil:
		f.given = append(f.given, "the arguments cannot be used: "+err.Error())
	case c[0] != '{':
		f.given = append(f.given, "the arguments are "+Kind(c)+", not an object, and cannot be used")
	default:
		return f.build(c)
	}
	return f.build(json.RawMessage("{}"))
}

// Fields returns the rows in order: of each object the properties that are
// required, in that order, then the others in the schema's order, then those
// that the schema does not name; right below each object and list that has a
// value, what is in it. The arguments as a whole have a row of their own only
// where there are alternatives to choose from. At most 2,000 rows.
func (f CallForm) Fields() []CallField { return slices.Clone(f.rows) }

// Field returns the row at a path, false where there is none.
func (f CallForm) Field(path string) (CallField, bool) {
	i := slices.IndexFunc(f.rows, func(r CallField) bool { return r.Path == path })
	if i < 0 {
		return CallField{}, false
	}
	return f.rows[i], true
}

// Arguments returns the arguments as they are filled in: a canonical object,
// its keys in the schema's order, then those that the schema does not name as
// they came. Values that were given are returned as they were.
func (f CallForm) Arguments() json.RawMessage {
	if f.arguments == nil {
		return json.RawMessage("{}")
	}
	return slices.Clone(f.arguments)
}

// Problems returns every way in which the arguments do not match the schema,
// each at its own path: [Tool.Validate] without its limit. Where the validator
// cannot use the schema, the types, values and required properties of the rows
// are what is checked.
func (f CallForm) Problems() []Violation { return slices.Clone(f.problems) }

// Notes returns what of the schema or of the arguments given could not be used,
// checked or shown.
func (f CallForm) Notes() []string { return slices.Clone(f.notes) }

// Ready reports whether nothing speaks against calling with these arguments.
func (f CallForm) Ready() bool { return len(f.problems) == 0 }

// root returns the schemas that hold for the whole.
func (f CallForm) root() []*jsonNode { return []*jsonNode{f.schema} }

func (f CallForm) reader() *formReader { return &formReader{root: f.schema, choices: f.choices} }
