package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
	"unique"
)

// Source says where a tool comes from, and so whether it can be deferred.
type Source string

// The sources of a tool. The zero value is a tool of unknown origin: it stays
// visible, is never deferred and never dropped.
const (
	SourceUnknown Source = ""
	SourceCore    Source = "core"   // Hermes' own tool; never deferred
	SourceMCP     Source = "mcp"    // a tool of an MCP server; deferrable
	SourcePlugin  Source = "plugin" // a tool of a plugin toolset; deferrable
)

// Deferrable reports whether tools of this source go behind the bridge.
func (s Source) Deferrable() bool { return s == SourceMCP || s == SourcePlugin }

// Tool is one tool as its owner listed it. Make one with [ParseTool], which
// also measures it, so that assemblies need not. All text is kept as it came;
// it is hostile until displayed through a display function.
type Tool struct {
	Name        string          // the owner's own name
	Description string          // "" where missing or null
	Schema      json.RawMessage // inputSchema in canonical JSON (see [Canonical]); {"type":"object","properties":{}} where missing or null
	ReadOnly    bool            // annotations.readOnlyHint is true
	Raw         json.RawMessage // the whole tool as in tools/list, canonical; what a snapshot writes

	facts *facts // measured on arrival; nil in a tool made by hand
}

// facts is what every assembly needs of a tool and what does not depend on
// anything but the tool. It is never changed once made.
type facts struct {
	descriptionChars int      // of the description as a canonical JSON string
	schemaChars      int      // of the schema
	short            string   // the short description
	shortChars       int      // of short
	properties       []string // names of the schema's top-level properties
	required         []string // names the schema requires
	stems            []stemCount
	tokens           int // of the name, the description and the properties, in all
}

// stemCount says how often a stem is a token of a tool's name, description and
// property names. Stems are interned, since an index looks up every one.
type stemCount struct {
	stem  unique.Handle[string]
	count int32
}

// emptySchema stands for an inputSchema that is missing or null.
const emptySchema = `{"type":"object","properties":{}}`

// ParseTool reads one tool as it stands in the result of tools/list. It fails
// only where raw is no JSON object or has no name to call the tool by; anything
// else that is odd is repaired and becomes a warning: a description that is no
// string counts as empty, an inputSchema that is no object as missing, and a
// field nested deeper than [Canonical] accepts as not there.
func ParseTool(raw json.RawMessage) (Tool, []Warning, error) {
	c, depth, err := canonical(raw)
	if err != nil {
		return Tool{}, nil, fmt.Errorf("tool: %w", err)
	}
	return parseTool(c, depth, stemmer{})
}

// parseTool is ParseTool on canonical JSON that nests depth levels deep. The
// stemmer may have met other tools' words.
func parseTool(c json.RawMessage, depth int, stems stemmer) (Tool, []Warning, error) {
	if c[0] != '{' {
		return Tool{}, nil, fmt.Errorf("tool: %s where an object with a name is due", Kind(c))
	}
	all := fields(c)
	var name string
	for _, f := range all {
		if f.key != "name" {
			continue
		}
		if f.value[0] != '"' {
			return Tool{}, nil, fmt.Errorf("tool: its name is %s, not a string", Kind(f.value))
		}
		name = text(f.value)
	}
	if name == "" {
		return Tool{}, nil, errors.New("tool: it has no name")
	}

	var warnings []Warning
	warn := func(given, used, message string) {
		warnings = append(warnings, Warning{Key: name, Given: given, Used: used, Message: "tool " + name + ": " + message})
	}
	if depth > maxNesting {
		kept := all[:0:0]
		for _, f := range all {
			if _, d, err := canonical(f.value); err == nil && d >= maxNesting {
				warn(f.key, "", fmt.Sprintf("its %s is nested %d levels deep, more than the %d accepted, and is left out", f.key, d, maxNesting))
				continue
			}
			kept = append(kept, f)
		}
		all, c = kept, joinFields(kept)
	}

	t := Tool{Name: name, Raw: c, Schema: json.RawMessage(emptySchema)}
	for _, f := range all {
		switch {
		case isNull(f.value):
		case f.key == "description":
			if f.value[0] != '"' {
				warn(excerpt(f.value), `""`, "its description is "+Kind(f.value)+", not a string, and counts as empty")
				continue
			}
			t.Description = text(f.value)
		case f.key == "inputSchema":
			if f.value[0] != '{' {
				warn(excerpt(f.value), emptySchema, "its inputSchema is "+Kind(f.value)+", not an object, and counts as missing")
				continue
			}
			t.Schema = f.value
		case f.key == "annotations":
			if f.value[0] != '{' {
				warn(excerpt(f.value), "", "its annotations are "+Kind(f.value)+", not an object, and are ignored")
				continue
			}
			for _, a := range fields(f.value) {
				if a.key == "readOnlyHint" {
					t.ReadOnly = string(a.value) == "true"
				}
			}
		}
	}
	t.facts = measure(t, stems)
	return t, warnings, nil
}

// measure computes the facts of t.
func measure(t Tool, stems stemmer) *facts {
	short := ShortDescription(t.Description)
	f := &facts{
		descriptionChars: quotedChars(t.Description),
		schemaChars:      utf8.RuneCount(t.Schema),
		short:            short,
		shortChars:       utf8.RuneCountInString(short),
	}
	for _, k := range fields(t.Schema) {
		switch {
		case k.key == "properties" && k.value[0] == '{':
			for _, p := range fields(k.value) {
				f.properties = append(f.properties, p.key)
			}
		case k.key == "required" && k.value[0] == '[':
			for _, r := range items(k.value) {
				if r[0] == '"' {
					f.required = append(f.required, text(r))
				}
			}
		}
	}
	f.countStems(t.Name, t.Description, stems)
	return f
}

// countStems counts the tokens of the name, the description and the properties.
// The name has the same tokens as the part of the wire name made of it: what a
// wire name replaces is in no token.
func (f *facts) countStems(name, description string, stems stemmer) {
	at := make(map[string]int)
	count := func(text string) {
		for start, end := nextToken(text, 0); start < end; start, end = nextToken(text, end) {
			s := stems.stem(text[start:end])
			i, ok := at[s]
			if !ok {
				i = len(f.stems)
				at[s] = i
				f.stems = append(f.stems, stemCount{stem: unique.Make(s)})
			}
			f.stems[i].count++
			f.tokens++
		}
	}
	count(name)
	count(description)
	for _, p := range f.properties {
		count(p)
	}
}

// measured returns t with its facts, also where it was made by hand.
func (t Tool) measured() Tool {
	if t.facts == nil {
		t.Schema = t.schema()
		t.facts = measure(t, stemmer{})
	}
	return t
}

// schema returns the schema in canonical JSON, also where the tool was made by
// hand.
func (t Tool) schema() json.RawMessage {
	if t.facts != nil {
		return t.Schema
	}
	if c, err := Canonical(t.Schema); err == nil && c[0] == '{' {
		return c
	}
	return json.RawMessage(emptySchema)
}

// MarshalJSON returns the tool as it stood in tools/list. A tool made by hand
// is written from its fields.
func (t Tool) MarshalJSON() ([]byte, error) {
	if len(t.Raw) > 0 {
		return t.Raw, nil
	}
	all := []field{
		{"name", quote(t.Name)},
		{"description", quote(t.Description)},
		{"inputSchema", t.schema()},
	}
	if t.ReadOnly {
		all = append(all, field{"annotations", json.RawMessage(`{"readOnlyHint":true}`)})
	}
	return joinFields(all), nil
}

// UnmarshalJSON reads a tool as [ParseTool] does and passes over its warnings.
func (t *Tool) UnmarshalJSON(raw []byte) error {
	parsed, _, err := ParseTool(raw)
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// joinFields returns the canonical object of the fields given.
func joinFields(all []field) json.RawMessage {
	out := []byte{'{'}
	for i, f := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(appendQuoted(out, f.key), ':'), f.value...)
	}
	return append(out, '}')
}

// excerpt returns the start of a value, for a warning.
func excerpt(v json.RawMessage) string { return cut(string(v), 60) }

// cut returns the first limit characters of s; where that is not all of s, the
// last of them is an ellipsis.
func cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == limit {
			return s[:i] + "…"
		}
	}
	return s
}
