package engine

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// formSpot is a place in the arguments, what may stand there and what does.
type formSpot struct {
	path    string // with an index for each "-"
	steps   []string
	schemas []*jsonNode
	shape   formShape
	value   *jsonNode // nil: nothing
	item    bool      // of a list
	reader  *formReader
}

// at follows a path; false where it is none, or leads through what is neither
// an object nor a list.
func (f CallForm) at(path string) (formSpot, bool) {
	all, ok := steps(path)
	if !ok || len(all) > maxFormPath {
		return formSpot{}, false
	}
	s := formSpot{schemas: f.root(), value: parseNode(f.Arguments()), reader: f.reader()}
	s.shape = s.reader.shape(s.schemas, "", s.value)
	for _, step := range all {
		s.item = s.value.is("array")
		switch {
		case s.item:
			n := len(s.value.kids)
			if step == "-" {
				step = strconv.Itoa(n)
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i > n {
				return formSpot{}, false
			}
			s.schemas = s.shape.item(i)
		case s.value.is("object"), s.value == nil && s.shape.only() != "array":
			s.schemas = s.shape.property(step)
		default:
			return formSpot{}, false
		}
		s.value = s.value.step(step)
		s.steps = append(s.steps, step)
		s.path += pointer([]string{step})
		s.shape = s.reader.shape(s.schemas, s.path, s.value)
	}
	return s, true
}

// put returns the form with another value at a spot, nil for none. It follows
// the alternatives that the person chose there as before.
func (f CallForm) put(s formSpot, value json.RawMessage) CallForm {
	if c, ok := put(f.Arguments(), s.steps, value); ok && c[0] == '{' {
		if c, err := Canonical(c); err == nil { // else it nests too deep
			return f.build(c)
		}
	}
	return f.build(f.Arguments())
}

// forget forgets what was chosen and kept below a path, and there as well.
func (f CallForm) forget(path string) CallForm {
	return f.rename(func(at string) (string, bool) {
		return at, at != path && !strings.HasPrefix(at, path+"/")
	})
}

// rename gives what was chosen and kept other paths, or drops it.
func (f CallForm) rename(to func(path string) (string, bool)) CallForm {
	choices, kept := map[string]int{}, map[string]json.RawMessage{}
	for path, i := range f.choices {
		if path, ok := to(path); ok {
			choices[path] = i
		}
	}
	for key, v := range f.kept {
		at := strings.LastIndexByte(key, '#')
		if path, ok := to(key[:at]); ok {
			kept[path+key[at:]] = v
		}
	}
	f.choices, f.kept = choices, kept
	return f
}

// Set returns the form with the value that a person typed at a path. Where a
// string is due the text is the string. Where something else is, it is read as
// that: numbers, null, lists and objects as JSON, true and false also as yes,
// no, on and off. Where a string or something else may stand there, and where
// anything may, it is JSON if it reads as JSON that is allowed, else a string.
// Of several alternatives the chosen one reads first, then the others, and the
// first that can read it is chosen.
//
// Text that cannot be read so stands in the arguments all the same, as JSON or
// else as a string, and the problem is told at its row: nothing typed is lost.
// Blank text unsets what is no string. The path may be of a property that no
// row shows; objects on the way to it are made, and an item is added to a list
// at the index after its last, or at "-". Where nothing can stand at the
// path, and where the whole would be no object, the form stays as it is.
func (f CallForm) Set(path, text string) CallForm {
	s, ok := f.at(path)
	if !ok {
		return f
	}
	value, ok := s.shape.read(text)
	chosen := s.shape.chosen
	for i := 0; !ok && i < len(s.shape.choices); i++ {
		if v, can := s.choose(i).read(text); can {
			value, ok, chosen = v, true, i
		}
	}
	if !ok && strings.TrimSpace(text) == "" {
		return f.Unset(path)
	}
	f = f.forget(s.path)
	if chosen >= 0 {
		f.choices[s.path] = chosen
	}
	return f.put(s, value)
}

// choose returns the shape with another alternative.
func (s formSpot) choose(i int) formShape {
	r := *s.reader
	r.choices = map[string]int{s.path: i}
	shape := r.shape(s.schemas, s.path, nil)
	s.reader.steps = r.steps
	return shape
}

// SetRaw returns the form with a JSON value at a path, whatever is due there.
// Text that is no JSON stands there as a string. The path is as for Set.
func (f CallForm) SetRaw(path string, raw json.RawMessage) CallForm {
	s, ok := f.at(path)
	if !ok {
		return f
	}
	c, err := Canonical(raw)
	if err != nil {
		c = quote(string(raw))
	}
	return f.forget(s.path).put(s, c)
}

// Unset returns the form without the value at a path. An item of a list cannot
// be without one and is as it was when added. The whole becomes empty.
func (f CallForm) Unset(path string) CallForm {
	s, ok := f.at(path)
	if !ok || s.value == nil {
		return f
	}
	f = f.forget(s.path)
	switch {
	case len(s.steps) == 0:
		return f.put(s, json.RawMessage("{}"))
	case s.item:
		s.reader.choices = nil
		return f.put(s, s.reader.least(s.reader.shape(s.schemas, s.path, nil), s.path))
	}
	return f.put(s, nil)
}

// Remove returns the form without an item of a list, those after it moved up,
// or without a property, as Unset does.
func (f CallForm) Remove(path string) CallForm {
	s, ok := f.at(path)
	if !ok || s.value == nil || !s.item {
		return f.Unset(path)
	}
	f = f.forget(s.path)
	last := len(s.steps) - 1
	index, _ := strconv.Atoi(s.steps[last])
	list := pointer(s.steps[:last]) + "/"
	f = f.rename(func(at string) (string, bool) {
		below, ok := strings.CutPrefix(at, list)
		if !ok {
			return at, true
		}
		step, rest, deeper := strings.Cut(below, "/")
		if i, err := strconv.Atoi(step); err == nil && i > index {
			at = list + strconv.Itoa(i-1)
			if deeper {
				at += "/" + rest
			}
		}
		return at, true
	})
	return f.put(s, nil)
}

// Add returns the form with one more item in the list at a path, or with the
// object there opened: what is required inside and can be only one thing is
// filled in, as in a new form. A list that is not there is made, with one item.
// Another property that is not there gets the one value that the schema gives
// it, if any. Otherwise the form stays as it is.
func (f CallForm) Add(path string) CallForm {
	s, ok := f.at(path)
	if !ok {
		return f
	}
	switch {
	case s.value.is("array"), s.value == nil && s.shape.only() == "array",
		s.value == nil && slices.Contains(s.shape.types, "array") && !slices.Contains(s.shape.types, "object"):
		return f.addItem(s)
	case s.value != nil:
		return f
	}
	value := s.shape.given()
	if value == nil && slices.Contains(s.shape.types, "object") {
		value = s.reader.startObject(s.shape, s.path, nil)
	}
	if value == nil {
		return f
	}
	return f.put(s, value)
}

func (f CallForm) addItem(s formSpot) CallForm {
	list := rawOf(s.value)
	if list == nil {
		list = json.RawMessage("[]")
	}
	n := len(items(list))
	at := s.path + "/" + strconv.Itoa(n)
	f = f.forget(at)
	s.reader.choices = f.choices
	item := s.reader.least(s.reader.shape(s.shape.item(n), at, nil), at)
	list, ok := put(list, []string{"-"}, item)
	if !ok {
		return f
	}
	return f.put(s, list)
}
