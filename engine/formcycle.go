package engine

import (
	"encoding/json"
	"maps"
	"strconv"
)

// formStop is one place where Cycle stops.
type formStop struct {
	choice int             // the alternative, -1 where there are none
	value  json.RawMessage // nil: the alternative holds more than one value
}

// Cycle returns the form with the choice at a path that lies step further, step
// back where it is negative, round at the ends: of the values of an enum, true
// and false, a constant, and of the alternatives of a oneOf or anyOf, each of
// which counts as one choice or, where it is such values itself, as these.
// Where nothing is set yet the first step takes the first choice, or the last.
//
// In another alternative an object keeps the properties that both name and
// those that neither does, and is filled in like a new one; other values are
// kept where they fit. What is left behind comes back with its alternative. A
// path with nothing to choose from leaves the form as it is.
func (f CallForm) Cycle(path string, step int) CallForm {
	s, ok := f.at(path)
	if !ok || step == 0 {
		return f
	}
	all := s.stops()
	if len(all) == 0 {
		return f
	}
	to := all[s.next(all, step, f.choices)]
	if to.choice < 0 {
		return f.forget(s.path).put(s, to.value)
	}
	return f.enter(s, to)
}

// stops returns where Cycle stops.
func (s formSpot) stops() []formStop {
	var all []formStop
	for i := range s.shape.choices {
		values := s.choose(i).values()
		for _, v := range values {
			all = append(all, formStop{i, v})
		}
		if len(values) == 0 {
			all = append(all, formStop{choice: i})
		}
	}
	if len(s.shape.choices) > 0 {
		return all
	}
	for _, v := range s.shape.values() {
		all = append(all, formStop{-1, v})
	}
	return all
}

// values returns the values of a shape that has few, in order.
func (s formShape) values() []json.RawMessage {
	switch {
	case s.constant != nil:
		return []json.RawMessage{s.constant}
	case len(s.enum) > 0:
		return s.enum
	}
	var all []json.RawMessage
	for _, t := range s.types {
		switch t {
		case "boolean":
			all = append(all, json.RawMessage("true"), json.RawMessage("false"))
		case "null":
			all = append(all, json.RawMessage("null"))
		default:
			return nil
		}
	}
	return all
}

// next returns the index of the stop that lies step from where the value is.
func (s formSpot) next(all []formStop, step int, chosen map[string]int) int {
	now := -1
	for i, stop := range all {
		if stop.choice != s.shape.chosen {
			continue
		}
		switch {
		case stop.value != nil && s.value != nil && equalJSON(stop.value, s.value.raw),
			stop.value == nil && s.value != nil:
			now = i
		case stop.value == nil && s.value == nil:
			// A plain alternative in force before anything is set is where one
			// is: going there would change nothing that can be seen.
			if _, ok := chosen[s.path]; ok || !s.opens(stop.choice) {
				now = i
			}
		}
		if now >= 0 {
			break
		}
	}
	n := len(all)
	switch {
	case now >= 0:
		now += step % n
	case step > 0:
		now = (step - 1) % n
	default:
		now = step % n
	}
	return (now + n) % n
}

// opens reports whether choosing an alternative sets a value by itself.
func (s formSpot) opens(choice int) bool {
	switch s.choose(choice).only() {
	case "object", "array":
		return true
	}
	return false
}

// enter returns the form in another alternative.
func (f CallForm) enter(s formSpot, to formStop) CallForm {
	kept := maps.Clone(f.kept)
	f = f.forget(s.path)
	for i := range s.shape.choices {
		key := s.path + "#" + strconv.Itoa(i)
		if v, ok := kept[key]; ok {
			f.kept[key] = v
		}
	}
	if s.value != nil && s.shape.chosen != to.choice {
		f.kept[s.path+"#"+strconv.Itoa(s.shape.chosen)] = s.value.raw
	}
	f.choices[s.path] = to.choice
	s.reader.choices = f.choices
	if to.value != nil {
		return f.put(s, to.value)
	}
	shape := s.reader.shape(s.schemas, s.path, nil)
	before := f.kept[s.path+"#"+strconv.Itoa(to.choice)]
	value := s.carry(shape, before)
	switch {
	case value != nil:
	case before != nil:
		value = before
	case shape.only() == "object":
		value = s.reader.startObject(shape, s.path, nil)
	case shape.only() == "array":
		value = json.RawMessage("[]")
	case s.item:
		value = s.reader.least(shape, s.path)
	}
	if value == nil && s.value == nil {
		return f.build(f.Arguments())
	}
	return f.put(s, value)
}

// carry returns what the value at a spot becomes in another alternative, nil
// where it cannot be taken along.
func (s formSpot) carry(to formShape, before json.RawMessage) json.RawMessage {
	if s.value == nil || !to.means(s.value.raw) || !to.allows(s.value.raw) {
		return nil
	}
	if !s.value.is("object") {
		return s.value.raw
	}
	var out []field
	has := map[string]bool{}
	add := func(name string, v json.RawMessage, told bool) {
		_, there := to.at[name]
		_, here := s.shape.at[name]
		if has[name] || here && !there {
			return
		}
		if there && !told {
			p := s.reader.shape(to.property(name), s.path+pointer([]string{name}), nil)
			if (p.constant != nil || p.enum != nil) && !p.allows(v) {
				return
			}
		}
		has[name] = true
		out = append(out, field{name, v})
	}
	for i, name := range s.value.keys {
		add(name, s.value.kids[i].raw, false)
	}
	for _, old := range []json.RawMessage{before, s.reader.startObject(to, s.path, nil)} {
		if len(old) == 0 || old[0] != '{' {
			continue
		}
		for _, p := range fields(old) {
			if _, there := to.at[p.key]; there {
				add(p.key, p.value, true)
			}
		}
	}
	return joinFields(out)
}
