package engine

import (
	"encoding/json"
	"math"
	"strings"
)

// maxSampleDepth bounds how deep a sample nests: schemas may refer to
// themselves.
const maxSampleDepth = 8

// SampleArguments returns arguments to begin a call from: an object with what
// the tool's schema requires, each value the schema's own default, constant,
// first example or first choice, else the least of its type. It is a place to
// start; a schema that asks for more than types may still refuse it.
func (t Tool) SampleArguments() json.RawMessage {
	if sample, ok := sampleObject(t.schema()); ok {
		return sample
	}
	return json.RawMessage("{}")
}

// SampleResult returns what a result's structuredContent could be: an object
// made from the tool's outputSchema as [Tool.SampleArguments] makes arguments;
// false where the tool has none.
func (t Tool) SampleResult() (json.RawMessage, bool) {
	for _, f := range fields(t.Raw) {
		if f.key == "outputSchema" {
			return sampleObject(f.value)
		}
	}
	return nil, false
}

// sampleObject makes an object of a schema; false where it is no schema of one.
func sampleObject(raw json.RawMessage) (json.RawMessage, bool) {
	schema, err := decodeJSON(raw)
	root, ok := schema.(map[string]any)
	if err != nil || !ok {
		return nil, false
	}
	s := sampler{refs: work{root: root}}
	object, ok := s.value(root, 0).(map[string]any)
	if !ok {
		return nil, false
	}
	made, err := json.Marshal(object)
	if err != nil {
		return nil, false
	}
	c, err := Canonical(made)
	return c, err == nil
}

// sampler makes values for the parts of one schema.
type sampler struct{ refs work }

// value returns a value for a schema.
func (s sampler) value(v any, depth int) any {
	schema, ok := v.(map[string]any)
	if !ok || depth > maxSampleDepth {
		return nil
	}
	if given, ok := chosen(schema); ok {
		return given
	}
	if ref, ok := schema["$ref"].(string); ok {
		return s.value(s.refs.resolve(ref), depth+1)
	}
	object := s.object(schema, depth)
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		all, _ := schema[key].([]any)
		if key != "allOf" {
			all = all[:min(1, len(all))] // one alternative is enough
		}
		for _, part := range all {
			switch below := s.value(part, depth+1).(type) {
			case map[string]any:
				for name, value := range below {
					object[name] = value
				}
			case nil:
			default:
				if _, typed := schema["type"]; !typed {
					return below
				}
			}
		}
	}
	return s.typed(schema, object, depth)
}

// chosen returns the value that a schema itself names, if any.
func chosen(schema map[string]any) (any, bool) {
	for _, key := range []string{"default", "const"} {
		if v, ok := schema[key]; ok {
			return v, true
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if all, ok := schema[key].([]any); ok && len(all) > 0 {
			return all[0], true
		}
	}
	return nil, false
}

// object returns the required properties of a schema.
func (s sampler) object(schema map[string]any, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, r := range required {
		name, ok := r.(string)
		if !ok {
			continue
		}
		property, known := properties[name]
		if !known {
			property = map[string]any{"type": "string"}
		}
		object[name] = s.value(property, depth+1)
	}
	return object
}

// typed returns the least value of a schema's type; the object is what an
// object would be.
func (s sampler) typed(schema, object map[string]any, depth int) any {
	name, _ := schema["type"].(string)
	if all, ok := schema["type"].([]any); ok && len(all) > 0 {
		name, _ = all[0].(string)
	}
	switch name {
	case "string":
		least := int(bound(schema, "minLength", 0))
		return strings.Repeat("x", max(0, min(least, 1000)))
	case "integer":
		return int64(math.Ceil(leastNumber(schema)))
	case "number":
		return leastNumber(schema)
	case "boolean":
		return false
	case "array":
		list := []any{}
		for range min(100, int(bound(schema, "minItems", 0))) {
			list = append(list, s.value(schema["items"], depth+1))
		}
		return list
	case "null":
		return nil
	}
	_, structured := schema["properties"]
	if name == "object" || structured || len(object) > 0 {
		return object
	}
	return ""
}

// leastNumber is a number within a schema's range, the nearest to zero that
// is easy to name.
func leastNumber(schema map[string]any) float64 {
	least := bound(schema, "minimum", math.Inf(-1))
	if above := bound(schema, "exclusiveMinimum", math.Inf(-1)); above >= least {
		least = math.Floor(above) + 1
	}
	most := bound(schema, "maximum", math.Inf(1))
	return min(max(0, least), most)
}

// bound returns a numeric keyword's value, or what holds without it.
func bound(schema map[string]any, key string, without float64) float64 {
	if n, ok := schema[key].(json.Number); ok {
		if f, err := n.Float64(); err == nil && math.Abs(f) < 1e15 {
			return f
		}
	}
	return without
}
