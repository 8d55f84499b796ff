package engine

import (
	"encoding/json"
	"slices"
	"strings"
)

// read returns the value that a text means where the shape holds; false where
// it can mean none that is allowed there.
func (s formShape) read(typed string) (json.RawMessage, bool) {
	if s.only() == "string" {
		return quote(typed), true
	}
	free := s.free()
	value, err := Canonical(json.RawMessage(typed))
	if err != nil && !free {
		value, err = Canonical(json.RawMessage(strings.TrimPrefix(strings.TrimSpace(typed), "+")))
	}
	switch {
	case err == nil && s.takes(value):
		return value, true
	case free:
		return quote(typed), true
	case err == nil:
		return value, false
	}
	if v, ok := readBoolean(typed); ok && slices.Contains(s.types, "boolean") {
		return v, true
	}
	return quote(typed), false
}

// readBoolean reads the words that people use for true and false.
func readBoolean(typed string) (json.RawMessage, bool) {
	switch strings.ToLower(strings.TrimSpace(typed)) {
	case "true", "yes", "on":
		return json.RawMessage("true"), true
	case "false", "no", "off":
		return json.RawMessage("false"), true
	}
	return nil, false
}

// typed returns a value as a person types it: a string without its quotes,
// unless it would be read as something else then.
func (s formShape) typed(v json.RawMessage) string {
	if jsonType(v) != "string" {
		return string(v)
	}
	bare := text(v)
	if s.only() == "string" || !s.free() {
		return bare
	}
	if other, err := Canonical(json.RawMessage(bare)); err == nil && s.takes(other) {
		return string(v)
	}
	return bare
}
