package engine

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The bounds of a form. Schemas can refer to themselves and multiply without
// end; what lies beyond a bound is said in a note, and no argument is lost by
// it. An honest schema comes near none of them.
const (
	maxFormSchema  = 128 << 10 // bytes of a schema
	maxFormFields  = 2000      // rows
	maxFormDepth   = 32        // levels of rows
	maxFormSteps   = 200_000   // keywords and properties read for one form
	maxFormChoices = 100       // alternatives of one field
	maxFormGroups  = 16        // oneOf and anyOf that hold for one field
	maxFormStart   = 8         // levels that are filled in at the start
)

// formShape is what a form knows of one place in the arguments: what all the
// schemas that hold there say together, with references followed and one
// alternative of each oneOf and anyOf chosen.
type formShape struct {
	types                      []string // none: anything
	implied                    bool     // by what is said of a type's parts; other types are allowed
	props                      []formProperty
	at                         map[string]int // where each property stands in props
	required                   []string
	prefix                     [][]*jsonNode // of a list: schemas of the first items
	items, extra               []*jsonNode   // schemas of the other items, and of properties that are not in props
	closed                     bool          // no other properties are allowed
	never                      bool          // nothing is allowed
	nullable                   bool          // null is allowed, whatever what is referred to says
	enum                       []json.RawMessage
	constant, initial          json.RawMessage
	title, description, format string

	choices []*jsonNode // the alternatives a person can choose from
	chosen  int         // the index of the one that holds; -1 without any
	groups  [][]*jsonNode
	seen    map[*jsonNode]bool
}

// formProperty is a property that a schema names.
type formProperty struct {
	name    string
	schemas []*jsonNode
}

// property returns the schemas that hold for a property.
func (s formShape) property(name string) []*jsonNode {
	if i, ok := s.at[name]; ok {
		return s.props[i].schemas
	}
	return s.extra
}

// item returns the schemas that hold for an item of a list.
func (s formShape) item(i int) []*jsonNode {
	if i < len(s.prefix) {
		return s.prefix[i]
	}
	return s.items
}

// takes reports whether a value of the type may stand there.
func (s formShape) takes(v json.RawMessage) bool { return !s.never && (s.implied || s.means(v)) }

// free reports whether a string may stand there.
func (s formShape) free() bool {
	return s.implied || len(s.types) == 0 || slices.Contains(s.types, "string")
}

// means reports whether a value is of a type that is named or implied.
func (s formShape) means(v json.RawMessage) bool {
	return len(s.types) == 0 || slices.ContainsFunc(s.types, func(t string) bool { return isType(v, t) })
}

// allows reports whether a value is one that the shape allows, as far as its
// own type and choice of values go.
func (s formShape) allows(v json.RawMessage) bool {
	return s.takes(v) && (s.constant == nil || equalJSON(v, s.constant)) &&
		(s.enum == nil || slices.ContainsFunc(s.enum, func(e json.RawMessage) bool { return equalJSON(v, e) }))
}

// only returns the one type that is due, "" where several are.
func (s formShape) only() string {
	if len(s.types) == 1 {
		return s.types[0]
	}
	return ""
}

// order returns the names of the properties as a person fills them in: those
// that are required, then the others.
func (s formShape) order() []string {
	names := slices.Clone(s.required)
	need := make(map[string]bool, len(names))
	for _, name := range names {
		need[name] = true
	}
	for _, p := range s.props {
		if !need[p.name] {
			names = append(names, p.name)
		}
	}
	return names
}

// equalJSON compares two canonical values; numbers by what they are worth.
func equalJSON(a, b json.RawMessage) bool {
	if string(a) == string(b) {
		return true
	}
	if jsonType(a) != "number" || jsonType(b) != "number" {
		return false
	}
	x, err := strconv.ParseFloat(string(a), 64)
	y, err2 := strconv.ParseFloat(string(b), 64)
	return err == nil && err2 == nil && x == y
}

// formReader reads the shapes of one schema.
type formReader struct {
	root    *jsonNode
	choices map[string]int // the alternative that a person chose at a path
	steps   int
	notes   []string
	strange []string // references that no JSON pointer into the schema is
}

func (r *formReader) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); len(r.notes) < maxViolations && !slices.Contains(r.notes, n) {
		r.notes = append(r.notes, n)
	}
}

// spend counts work; false says that there was enough of it.
func (r *formReader) spend(n int) bool {
	r.steps += n
	if r.steps <= maxFormSteps {
		return true
	}
	r.note("the schema refers to itself too often to be laid out in full: where it is not, anything can be filled in")
	return false
}

// shape reads what the schemas say together of the place at a path, where
// value stands, nil where nothing does.
func (r *formReader) shape(schemas []*jsonNode, path string, value *jsonNode) formShape {
	s := formShape{chosen: -1, seen: map[*jsonNode]bool{}, at: map[string]int{}}
	for _, schema := range schemas {
		r.read(&s, schema)
	}
	for i := 0; i < len(s.groups) && i < maxFormGroups; i++ {
		all := r.alternatives(s.groups[i], map[*jsonNode]bool{}, nil)
		if len(all) > maxFormChoices {
			r.note("of more than %d alternatives only the first %d are offered", maxFormChoices, maxFormChoices)
			all = all[:maxFormChoices]
		}
		switch {
		case len(all) == 0:
		case len(all) == 1:
			r.read(&s, all[0])
		case s.choices == nil:
			chosen, ok := r.choices[path]
			if !ok || chosen >= len(all) {
				chosen = -1
			}
			s.choices, s.chosen = all, r.pick(all, chosen, value)
			r.read(&s, all[s.chosen])
		default:
			r.read(&s, all[r.pick(all, -1, value)])
		}
	}
	s.complete()
	return s
}

// complete adds what follows from the rest: properties that are only required,
// and types that are only implied.
func (s *formShape) complete() {
	for _, name := range s.required {
		if _, ok := s.at[name]; !ok {
			s.at[name] = len(s.props)
			s.props = append(s.props, formProperty{name, s.extra})
		}
	}
	null := json.RawMessage("null")
	s.never = s.never && !s.nullable
	if s.nullable && s.constant != nil {
		s.enum, s.constant = []json.RawMessage{s.constant}, nil
	}
	if s.nullable && s.enum != nil && !slices.ContainsFunc(s.enum, isNull) {
		s.enum = append(slices.Clip(s.enum), null)
	}
	if len(s.types) > 0 {
		if s.nullable && !slices.Contains(s.types, "null") {
			s.types = append(slices.Clip(s.types), "null")
		}
		return
	}
	values := s.enum
	if s.constant != nil {
		values = []json.RawMessage{s.constant}
	}
	for _, v := range values {
		if t := jsonType(v); !slices.Contains(s.types, t) {
			s.types = append(s.types, t)
		}
	}
	switch {
	case len(s.types) > 0:
	case len(s.props) > 0:
		s.types, s.implied = []string{"object"}, true
	case s.items != nil || s.prefix != nil:
		s.types, s.implied = []string{"array"}, true
	}
}

// read adds what one schema says, and what it refers to. What is said first
// holds: a schema's own words come before those of what it refers to.
func (r *formReader) read(s *formShape, schema *jsonNode) {
	if schema == nil || s.seen[schema] || !r.spend(1+len(schema.keys)) {
		return
	}
	if string(schema.raw) == "false" {
		s.never = true
	}
	if !schema.is("object") {
		return
	}
	s.seen[schema] = true
	nullable := string(rawOf(schema.get("nullable"))) == "true"
	s.nullable = s.nullable || nullable && (schema.get("$ref") != nil || schema.get("allOf") != nil)
	s.readType(schema, nullable)
	s.readWords(schema)
	s.readValues(schema, nullable)
	if all := schema.get("properties"); all.is("object") && r.spend(len(all.keys)) {
		for i, name := range all.keys {
			at, ok := s.at[name]
			if !ok {
				at = len(s.props)
				s.at[name] = at
				s.props = append(s.props, formProperty{name: name})
			}
			s.props[at].schemas = append(s.props[at].schemas, &all.kids[i])
		}
	}
	if required := schema.get("required"); required.is("array") && r.spend(len(required.kids)) {
		known := make(map[string]bool, len(s.required))
		for _, name := range s.required {
			known[name] = true
		}
		for _, name := range schema.texts("required") {
			if !known[name] {
				known[name] = true
				s.required = append(s.required, name)
			}
		}
	}
	s.readItems(schema)
	if extra := schema.get("additionalProperties"); extra != nil {
		if string(extra.raw) == "false" {
			s.closed = true
		} else {
			s.extra = append(s.extra, extra)
		}
	}
	if ref := schema.text("$ref"); ref != "" {
		r.read(s, r.resolve(ref))
	}
	for _, part := range schema.list("allOf") {
		r.read(s, part)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		group := schema.list(key)
		if len(group) == 0 {
			continue
		}
		if nullable {
			group = append(group, parseNode(json.RawMessage(`{"type":"null"}`)))
		}
		s.groups = append(s.groups, group)
	}
}

func rawOf(n *jsonNode) json.RawMessage {
	if n == nil {
		return nil
	}
	return n.raw
}

// readType narrows the types down.
func (s *formShape) readType(schema *jsonNode, nullable bool) {
	var types []string
	for _, t := range schema.texts("type") {
		switch t {
		case "string", "number", "integer", "boolean", "object", "array", "null":
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	if len(types) > 0 && nullable && !slices.Contains(types, "null") {
		types = append(types, "null")
	}
	if len(s.types) == 0 {
		s.types = types
		return
	}
	var both []string
	for _, t := range s.types {
		switch {
		case slices.Contains(types, t), t == "integer" && slices.Contains(types, "number"):
			both = append(both, t)
		case t == "number" && slices.Contains(types, "integer"):
			both = append(both, "integer")
		}
	}
	if len(both) > 0 {
		s.types = both
	}
}

// readWords takes what a schema says for people.
func (s *formShape) readWords(schema *jsonNode) {
	for key, to := range map[string]*string{"title": &s.title, "description": &s.description, "format": &s.format} {
		if *to == "" {
			*to = schema.text(key)
		}
	}
}

// readValues takes the values that a schema names.
func (s *formShape) readValues(schema *jsonNode, nullable bool) {
	if v := schema.get("const"); v != nil && s.constant == nil && s.enum == nil {
		if nullable {
			s.enum = []json.RawMessage{v.raw, json.RawMessage("null")}
		} else {
			s.constant = v.raw
		}
	}
	if v := schema.get("default"); v != nil && s.initial == nil {
		s.initial = v.raw
	}
	if all := schema.list("enum"); len(all) > 0 && s.enum == nil {
		for _, v := range all {
			s.enum = append(s.enum, v.raw)
		}
		if nullable && !slices.ContainsFunc(s.enum, isNull) {
			s.enum = append(s.enum, json.RawMessage("null"))
		}
	}
}

// readItems takes what a schema says of the items of a list. A list of schemas
// under items is how drafts before 2020-12 say prefixItems.
func (s *formShape) readItems(schema *jsonNode) {
	prefix, rest := schema.list("prefixItems"), schema.get("items")
	if rest.is("array") {
		prefix, rest = schema.list("items"), schema.get("additionalItems")
	}
	for i, p := range prefix {
		if i == len(s.prefix) {
			s.prefix = append(s.prefix, nil)
		}
		s.prefix[i] = append(s.prefix[i], p)
	}
	if rest != nil {
		s.items = append(s.items, rest)
	}
}

// resolve follows a reference into the schema, by JSON pointer. Nothing outside
// is ever fetched; the validation says so in its notes.
func (r *formReader) resolve(ref string) *jsonNode {
	pointer, inside := strings.CutPrefix(ref, "#")
	if decoded, err := url.PathUnescape(pointer); err == nil {
		pointer = decoded
	}
	all, ok := steps(pointer)
	if !inside || !ok {
		if ref = cut(ref, 80); len(r.strange) < maxViolations && !slices.Contains(r.strange, ref) {
			r.strange = append(r.strange, ref)
		}
		return nil
	}
	at := r.root
	for _, step := range all {
		if at = at.step(step); at == nil {
			r.note("$ref %s leads nowhere: anything can be filled in there", cut(ref, 80))
			return nil
		}
	}
	return at
}

// alternatives appends the members of a oneOf or anyOf to out. A member that is
// nothing but alternatives itself stands for these.
func (r *formReader) alternatives(group []*jsonNode, seen map[*jsonNode]bool, out []*jsonNode) []*jsonNode {
	for _, member := range group {
		if len(out) > maxFormChoices || !r.spend(1) {
			return out
		}
		to := member
		for hops := 0; to.text("$ref") != "" && hops < maxFormGroups; hops++ {
			to = r.resolve(to.text("$ref"))
		}
		var below []*jsonNode
		plain := to.is("object") && !seen[to]
		if plain {
			for _, key := range to.keys {
				switch key {
				case "oneOf", "anyOf":
					below = append(below, to.list(key)...)
				case "title", "description", "$schema", "$id", "$comment", "discriminator", "default":
				default:
					plain = false
				}
			}
			plain = plain && (to.get("oneOf") == nil || to.get("anyOf") == nil)
		}
		if !plain || len(below) == 0 {
			out = append(out, member)
			continue
		}
		seen[to] = true
		out = r.alternatives(below, seen, out)
	}
	return out
}

// pick returns the alternative that a value is meant as: the one that was
// chosen, where the value can be that, else the one that it fits best.
func (r *formReader) pick(all []*jsonNode, chosen int, value *jsonNode) int {
	if value == nil {
		return max(0, chosen)
	}
	if chosen >= 0 {
		if _, ok := r.fit(all[chosen], value); ok {
			return chosen
		}
	}
	best, most := max(0, chosen), -1
	for i, a := range all {
		if n, ok := r.fit(a, value); ok && n > most {
			best, most = i, n
		}
	}
	return best
}

// fit says how well a value fits an alternative, 0 and up; false where it
// cannot be meant as that. It looks one level deep: at types and at properties
// that tell alternatives apart by their values.
func (r *formReader) fit(alternative, value *jsonNode) (int, bool) {
	s := formShape{seen: map[*jsonNode]bool{}, at: map[string]int{}}
	r.read(&s, alternative)
	s.complete()
	if !s.allows(value.raw) {
		return 0, false
	}
	const middle = 1 << 20
	if !s.means(value.raw) {
		return 0, true
	}
	if !value.is("object") {
		return middle, true
	}
	n := middle
	for i, name := range value.keys {
		at, ok := s.at[name]
		if !ok {
			if s.closed {
				n -= 4
			}
			continue
		}
		n++
		p := formShape{seen: map[*jsonNode]bool{}, at: map[string]int{}}
		for _, schema := range s.props[at].schemas {
			r.read(&p, schema)
		}
		p.complete()
		switch {
		case p.allows(value.kids[i].raw):
		case p.constant != nil || p.enum != nil:
			return 0, false
		default:
			n -= 4
		}
	}
	for _, name := range s.required {
		if value.get(name) == nil {
			n -= 4
		}
	}
	return max(0, n), true
}

// summary names an alternative in a few words: by its title, the value or the
// definition that it is, what tells it apart, or its type.
func (r *formReader) summary(alternative *jsonNode, i int) string {
	const most = 60
	s := formShape{seen: map[*jsonNode]bool{}, at: map[string]int{}}
	r.read(&s, alternative)
	ref := alternative.text("$ref")
	s.complete()
	var apart []string
	for _, p := range s.props {
		for _, schema := range p.schemas {
			if v := schema.get("const"); v != nil {
				apart = append(apart, p.name+": "+plainText(v.raw))
			} else if all := schema.list("enum"); len(all) == 1 {
				apart = append(apart, p.name+": "+plainText(all[0].raw))
			}
		}
	}
	switch {
	case s.title != "":
		return cut(s.title, most)
	case s.constant != nil:
		return cut(plainText(s.constant), most)
	case ref != "":
		return cut(ref[strings.LastIndexByte(ref, '/')+1:], most)
	case len(s.enum) > 0:
		return cut(series(rawTexts(s.enum[:min(len(s.enum), maxListed+1)]), asIs, " or "), most)
	case len(apart) > 0:
		return cut(strings.Join(apart[:min(3, len(apart))], ", "), most)
	case s.only() == "array" && len(s.items) == 1 && len(s.items[0].texts("type")) == 1:
		return "array of " + cut(s.items[0].texts("type")[0], most)
	case len(s.types) > 0 && !slices.Contains(s.types, "object"):
		if s.format != "" {
			return strings.Join(s.types, " or ") + " (" + cut(s.format, most) + ")"
		}
		return strings.Join(s.types, " or ")
	case s.format != "":
		return cut(s.format, most)
	case len(s.required) > 0:
		return cut("with "+series(s.required[:min(len(s.required), maxListed+1)], asIs, " and "), most)
	case s.description != "":
		return ShortDescription(s.description)
	case len(s.types) > 0:
		return strings.Join(s.types, " or ")
	}
	return fmt.Sprintf("alternative %d", i+1)
}

// plainText is a value as a person reads it: strings without their quotes.
func plainText(v json.RawMessage) string {
	if jsonType(v) == "string" {
		return text(v)
	}
	return excerpt(v)
}

func rawTexts(all []json.RawMessage) []string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = plainText(v)
	}
	return out
}
