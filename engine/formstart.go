package engine

import (
	"encoding/json"
	"slices"
)

// start returns what the whole or an object is filled in with when it is
// opened: of its required properties those that can be only one thing. Above
// are the schemas that the objects around it were opened by.
func (r *formReader) start(schemas []*jsonNode, path string, above []*jsonNode) json.RawMessage {
	return r.startObject(r.shape(schemas, path, nil), path, above)
}

func (r *formReader) startObject(s formShape, path string, above []*jsonNode) json.RawMessage {
	var out []field
	around := slices.Clone(above)
	for schema := range s.seen {
		around = append(around, schema)
	}
	required := make(map[string]bool, len(s.required))
	for _, name := range s.required {
		required[name] = true
	}
	for _, p := range s.props {
		if !required[p.name] {
			continue
		}
		at := path + pointer([]string{p.name})
		if v := r.startProperty(r.shape(p.schemas, at, nil), at, around); v != nil {
			out = append(out, field{p.name, v})
		}
	}
	return joinFields(out)
}

// startProperty returns what a required property can only be, nil where that is
// for a person to say. An object of a schema that is open around it already is
// not opened: it would never end.
func (r *formReader) startProperty(s formShape, path string, above []*jsonNode) json.RawMessage {
	if v := s.given(); v != nil {
		return v
	}
	all, _ := steps(path)
	if s.only() != "object" || len(s.props) == 0 || len(all) > maxFormStart {
		return nil
	}
	for _, schema := range above {
		if s.seen[schema] {
			return nil
		}
	}
	return r.startObject(s, path, above)
}

// given returns the one value that a schema itself gives, nil where it gives
// none or several.
func (s formShape) given() json.RawMessage {
	switch {
	case s.constant != nil:
		return s.constant
	case s.initial != nil && s.allows(s.initial):
		return s.initial
	case len(s.enum) == 1:
		return s.enum[0]
	case s.only() == "null":
		return json.RawMessage("null")
	}
	return nil
}

// least returns what a new item of a list is: what the schema gives, an object
// opened, the first value of an enum, else the least of its type.
func (r *formReader) least(s formShape, path string) json.RawMessage {
	if v := s.given(); v != nil {
		return v
	}
	if len(s.enum) > 0 {
		return s.enum[0]
	}
	if len(s.types) == 0 {
		return json.RawMessage("null")
	}
	switch s.types[0] {
	case "object":
		return r.startObject(s, path, nil)
	case "array":
		return json.RawMessage("[]")
	case "string":
		return json.RawMessage(`""`)
	case "boolean":
		return json.RawMessage("false")
	case "null":
		return json.RawMessage("null")
	}
	return json.RawMessage("0")
}
