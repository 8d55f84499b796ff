package engine

import (
	"encoding/json"
	"strconv"
)

// maxFormPath is how many steps a path has at most.
const maxFormPath = 1000

// put returns a canonical value with another in it, at the path of the steps.
// Objects that are missing on the way are made, and an item is added to a list
// at the index after its last, or at "-". It fails where the path leads through
// what is no object or list. A nil value takes out what is there.
func put(at json.RawMessage, path []string, value json.RawMessage) (json.RawMessage, bool) {
	if len(path) == 0 {
		return value, value != nil
	}
	if at == nil {
		if value == nil {
			return nil, false
		}
		at = json.RawMessage("{}")
	}
	switch at[0] {
	case '{':
		return putKey(at, path, value)
	case '[':
		return putItem(at, path, value)
	}
	return nil, false
}

func putKey(object json.RawMessage, path []string, value json.RawMessage) (json.RawMessage, bool) {
	all := fields(object)
	for i, f := range all {
		if f.key != path[0] {
			continue
		}
		if len(path) == 1 && value == nil {
			return joinFields(append(all[:i:i], all[i+1:]...)), true
		}
		below, ok := put(f.value, path[1:], value)
		if !ok {
			return nil, false
		}
		all[i].value = below
		return joinFields(all), true
	}
	below, ok := put(nil, path[1:], value)
	if !ok {
		return nil, false
	}
	return joinFields(append(all, field{path[0], below})), true
}

func putItem(list json.RawMessage, path []string, value json.RawMessage) (json.RawMessage, bool) {
	all := items(list)
	i, err := strconv.Atoi(path[0])
	switch {
	case path[0] == "-":
		i = len(all)
	case err != nil || i < 0 || i > len(all) || strconv.Itoa(i) != path[0]:
		return nil, false
	}
	if i == len(all) {
		all = append(all, nil)
	}
	if len(path) == 1 && value == nil {
		if all[i] == nil {
			return nil, false
		}
		all = append(all[:i:i], all[i+1:]...)
	} else {
		below, ok := put(all[i], path[1:], value)
		if !ok {
			return nil, false
		}
		all[i] = below
	}
	out := []byte{'['}
	for j, item := range all {
		if j > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']'), true
}
