package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// schemaReader prepares a decoded schema for the validator: it honours
// "nullable": true, and takes out what cannot be followed, with a note each.
type schemaReader struct {
	ids   []string // every $id in the schema
	notes []string
}

func (r *schemaReader) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(r.notes, n) {
		r.notes = append(r.notes, n)
	}
}

// The keywords whose values are schemas, by how they hold them. What stands
// under any other keyword is data or an annotation and is left as it is.
func schemaMaps() []string {
	return []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
}

func schemaLists() []string { return []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"} }

func schemaValues() []string {
	return []string{
		"items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties",
		"not", "if", "then", "else", "contains", "propertyNames", "contentSchema",
	}
}

// subschemas calls each with every schema right below another.
func subschemas(schema map[string]any, each func(map[string]any)) {
	one := func(v any) {
		if s, ok := v.(map[string]any); ok {
			each(s)
		}
	}
	for _, key := range schemaMaps() {
		if all, ok := schema[key].(map[string]any); ok {
			for _, name := range sortedKeys(all) {
				one(all[name])
			}
		}
	}
	for _, key := range schemaLists() {
		if all, ok := schema[key].([]any); ok {
			for _, v := range all {
				one(v)
			}
		}
	}
	for _, key := range schemaValues() {
		one(schema[key])
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// gather notes every $id.
func (r *schemaReader) gather(schema map[string]any) {
	for _, key := range []string{"$id", "id"} {
		if id, ok := schema[key].(string); ok && id != "" {
			r.ids = append(r.ids, strings.TrimSuffix(id, "#"))
		}
	}
	subschemas(schema, r.gather)
}

// prepare changes a schema and those below it.
func (r *schemaReader) prepare(schema map[string]any) {
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref, ok := schema[key].(string); ok && !r.internal(ref) {
			delete(schema, key)
			r.note("%s %s is outside the schema: never fetched, anything is accepted there", key, cut(ref, 80))
		}
	}
	r.patterns(schema)
	nullable(schema)
	subschemas(schema, r.prepare)
}

// internal reports whether a reference stays inside the schema.
func (r *schemaReader) internal(ref string) bool {
	to, _, _ := strings.Cut(ref, "#")
	return to == "" || slices.ContainsFunc(r.ids, func(id string) bool { return id == to || strings.HasSuffix(id, "/"+to) })
}

// patterns takes out the patterns that Go's regular expressions cannot express,
// such as those that look around.
func (r *schemaReader) patterns(schema map[string]any) {
	if p, ok := schema["pattern"].(string); ok {
		if _, err := regexp.Compile(p); err != nil {
			delete(schema, "pattern")
			r.note("pattern %s cannot be checked here and is skipped", cut(p, 80))
		}
	}
	all, ok := schema["patternProperties"].(map[string]any)
	if !ok {
		return
	}
	for _, p := range sortedKeys(all) {
		if _, err := regexp.Compile(p); err == nil {
			continue
		}
		delete(all, p)
		r.note("patternProperties %s cannot be checked here and is skipped", cut(p, 80))
		// Which properties it would have taken is not known, so none is extra.
		delete(schema, "additionalProperties")
		delete(schema, "unevaluatedProperties")
	}
}

// nullable lets a schema with OpenAPI's "nullable": true accept null.
func nullable(schema map[string]any) {
	if yes, _ := schema["nullable"].(bool); !yes {
		return
	}
	null := map[string]any{"type": "null"}
	switch t := schema["type"].(type) {
	case string:
		schema["type"] = []any{t, "null"}
	case []any:
		if !slices.Contains(t, any("null")) {
			schema["type"] = append(slices.Clone(t), "null")
		}
	}
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(slices.Clone(values), nil)
	}
	if v, ok := schema["const"]; ok {
		delete(schema, "const")
		schema["enum"] = []any{v, nil}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if all, ok := schema[key].([]any); ok {
			schema[key] = append(slices.Clone(all), null)
		}
	}
	_, taken := schema["anyOf"]
	for _, key := range []string{"$ref", "allOf"} {
		if v, ok := schema[key]; ok && !taken {
			delete(schema, key)
			schema["anyOf"] = []any{null, map[string]any{key: v}}
			taken = true
		}
	}
}

// maxChecks bounds the work of one validation: how many times a schema is held
// against a value. An honest schema needs some thousands.
const maxChecks = 2_000_000

// work estimates how many times a schema or one below it is held against a
// part of a value that nests depth levels and whose lists and objects have at
// most width items. References can multiply it without end.
type work struct {
	root  map[string]any
	width int
	known map[workKey]int
}

type workKey struct {
	schema string // where the schema is: its address, which tells it from its equals
	depth  int
}

// of returns the estimate, maxChecks at most.
func (w *work) of(v any, depth int) int {
	schema, ok := v.(map[string]any)
	if !ok || depth < 0 {
		return 1
	}
	key := workKey{fmt.Sprintf("%p", schema), depth}
	if n, ok := w.known[key]; ok {
		return n
	}
	w.known[key] = 1 // a reference back to here adds nothing: the validator stops at it
	n := 1
	add := func(more, times int) {
		if more > 0 && times > maxChecks/more {
			n = maxChecks
		}
		n = min(maxChecks, n+more*times)
	}
	for _, key := range []string{"$ref", "$dynamicRef"} {
		if ref, ok := schema[key].(string); ok {
			add(w.of(w.resolve(ref), depth), 1)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		all, _ := schema[key].([]any)
		for _, s := range all {
			add(w.of(s, depth), 1)
		}
	}
	for _, key := range []string{"not", "if", "then", "else"} {
		add(w.of(schema[key], depth), 1)
	}
	if all, ok := schema["dependentSchemas"].(map[string]any); ok {
		for _, s := range all {
			add(w.of(s, depth), 1)
		}
	}
	if all, ok := schema["properties"].(map[string]any); ok {
		for _, s := range all {
			add(w.of(s, depth-1), 1)
		}
	}
	if all, ok := schema["prefixItems"].([]any); ok {
		for _, s := range all {
			add(w.of(s, depth-1), 1)
		}
	}
	if all, ok := schema["patternProperties"].(map[string]any); ok {
		for _, s := range all {
			add(w.of(s, depth-1), w.width)
		}
	}
	for _, key := range []string{"items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains", "propertyNames"} {
		if _, ok := schema[key]; ok {
			add(w.of(schema[key], depth-1), w.width)
		}
	}
	w.known[key] = n
	return n
}

// resolve follows a JSON pointer into the schema; other references lead to
// schemas that are counted where they stand.
func (w *work) resolve(ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	var at any = w.root
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i := 0
			if _, err := fmt.Sscanf(step, "%d", &i); err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

// extent returns how deep a decoded value nests and how many items its largest
// list or object has.
func extent(v any) (depth, width int) {
	each := func(item any) {
		d, w := extent(item)
		depth, width = max(depth, d+1), max(width, w)
	}
	switch v := v.(type) {
	case map[string]any:
		width = len(v)
		for _, item := range v {
			each(item)
		}
	case []any:
		width = len(v)
		for _, item := range v {
			each(item)
		}
	}
	return depth, width
}
