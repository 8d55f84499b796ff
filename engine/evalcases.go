package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Case is one query of a set and the tools that a search for it should find.
type Case struct {
	Query string   `json:"query"`
	Want  []string `json:"want"`            // wire names in either style, or servers' own names; any one counts
	Limit int      `json:"limit,omitempty"` // matches, 1 or more; 0 where the limit common to all cases holds
	Line  int      `json:"line,omitempty"`  // where it stands in its file, from 1; 0 where it is of none
}

// ParseCases reads a set of queries in one of three shapes, told by the first
// character that is neither white space nor in a comment:
//
//	text        a line a case: the query, then => or a tab, then a tool or several with commas
//	JSON lines  a line a case: {"query": "…", "want": "tool"} or {"query": "…", "want": ["tool", "tool"]}
//	JSON list   such objects between [ and ], over as many lines as one likes
//
// An object is what [ParseCase] reads. Blank lines and lines that begin with # are left out, but for those inside a
// JSON list. The name is that of the file, for errors, which begin with
// name:line. It fails on the first fault, and where there is no case at all.
func ParseCases(name string, data []byte) ([]Case, error) {
	r := &casesReader{name: name, data: bytes.TrimPrefix(data, []byte("\ufeff")), number: 1}
	for at := 0; at < len(r.data); {
		c, size := utf8.DecodeRune(r.data[at:])
		if c == utf8.RuneError && size == 1 {
			return nil, r.fault(at, "the text is not UTF-8")
		}
		at += size
	}
	var cases []Case
	for at := 0; at < len(r.data); {
		end := len(r.data)
		if i := bytes.IndexByte(r.data[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := strings.TrimSpace(string(r.data[at:end]))
		if line == "" || line[0] == '#' {
			at = end + 1
			continue
		}
		if r.shape == 0 {
			r.shape = line[0]
		}
		if r.shape == '[' {
			return r.list(at)
		}
		c, err := r.line(at, end, line)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
		at = end + 1
	}
	if len(cases) == 0 {
		return nil, r.empty()
	}
	return cases, nil
}

// casesReader reads one file of cases.
type casesReader struct {
	name  string
	data  []byte
	shape byte // '[' and '{' are JSON, 0 is not known yet, all else is text

	number  int // the line of the byte at counted
	counted int
}

// lineAt returns the line, from 1, of a byte that is not before the one it was
// asked for last, so that a long file is counted through once.
func (r *casesReader) lineAt(at int) int {
	r.number += bytes.Count(r.data[r.counted:at], []byte("\n"))
	r.counted = at
	return r.number
}

// fault is an error at a byte of the file.
func (r *casesReader) fault(at int, format string, args ...any) error {
	line, _ := position(r.data, at)
	return fmt.Errorf("%s:%d: %s", r.name, line, fmt.Sprintf(format, args...))
}

func (r *casesReader) empty() error {
	return fmt.Errorf("%s: there is no case in it; a case is a line such as: open a ticket => create_issue", r.name)
}

// line reads the case between two bytes of the file, which is a line.
func (r *casesReader) line(at, end int, line string) (Case, error) {
	if r.shape == '{' {
		value, _, err := canonical(r.data[at:end])
		if err != nil {
			return Case{}, r.invalid(at, err)
		}
		return r.object(at, value)
	}
	c, err := textCase(line)
	if err != nil {
		return Case{}, r.fault(at, "%v", err)
	}
	c.Line = r.lineAt(at)
	return c, nil
}

// list reads the cases of the JSON list that begins at a byte of the file and
// goes on to its end.
func (r *casesReader) list(at int) ([]Case, error) {
	if _, _, err := canonical(r.data[at:]); err != nil {
		return nil, r.invalid(at, err)
	}
	var cases []Case
	// The list is known to be valid, so a value or the end stands after each
	// bracket and comma.
	for i := skipSpace(r.data, at) + 1; ; i++ {
		i = skipSpace(r.data, i)
		if r.data[i] == ']' {
			break
		}
		value, size, _, err := appendCanonical(nil, r.data[i:])
		if err != nil {
			return nil, r.invalid(i, err)
		}
		c, err := r.object(i, value)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
		if i = skipSpace(r.data, i+size); r.data[i] == ']' {
			break
		}
	}
	if len(cases) == 0 {
		return nil, r.empty()
	}
	return cases, nil
}

// invalid is the error of JSON text that begins at a byte of the file.
func (r *casesReader) invalid(at int, err error) error {
	var s *syntaxError
	if errors.As(err, &s) {
		return r.fault(at+s.offset, "invalid JSON: %s", s.what)
	}
	return r.fault(at, "%v", err)
}

// object reads a case that is a canonical JSON value and begins at a byte of
// the file.
func (r *casesReader) object(at int, value json.RawMessage) (Case, error) {
	c, err := caseOf(value)
	if err != nil {
		return Case{}, r.fault(at, "%v", err)
	}
	c.Line = r.lineAt(at)
	return c, nil
}

// ParseCase reads one case, which is a JSON object: query is a string; want, or
// expect, expected or tools in its place, is a tool's name or a list of names;
// limit may be there, and 0 is none of its own. The error says what is amiss,
// not where.
func ParseCase(object json.RawMessage) (Case, error) {
	value, _, err := canonical(object)
	if err != nil {
		return Case{}, err
	}
	return caseOf(value)
}

// caseOf reads a case that is a canonical JSON value.
func caseOf(value json.RawMessage) (Case, error) {
	if Kind(value) != "an object" {
		return Case{}, fmt.Errorf("%s where an object with query and want is due", Kind(value))
	}
	var c Case
	named := "" // the key that names the tools
	for _, f := range fields(value) {
		switch f.key {
		case "query":
			if Kind(f.value) != "a string" {
				return Case{}, fmt.Errorf("query: %s where a string is due", Kind(f.value))
			}
			c.Query = strings.TrimSpace(text(f.value))
		case "want", "expect", "expected", "tools":
			if named != "" {
				return Case{}, fmt.Errorf("%s and %s both name the tools: one is due", named, f.key)
			}
			named = f.key
			names := []json.RawMessage{f.value}
			if Kind(f.value) == "a list" {
				names = items(f.value)
			}
			for _, name := range names {
				if Kind(name) != "a string" {
					return Case{}, fmt.Errorf("%s: %s where a tool's name or a list of names is due", f.key, Kind(name))
				}
				c.Want = append(c.Want, text(name))
			}
		case "limit":
			limit, err := strconv.ParseInt(string(f.value), 10, 32)
			if err != nil || limit < 0 {
				return Case{}, errors.New("limit: a whole number of matches is due, 1 or more")
			}
			c.Limit = int(limit)
		default:
			if near, ok := nearest(f.key, []string{"query", "want", "expect", "expected", "tools", "limit"}); ok {
				return Case{}, fmt.Errorf("%q is no key of a case: did you mean %s?", f.key, near)
			}
			return Case{}, fmt.Errorf("%q is no key of a case, which has query, want and limit", f.key)
		}
	}
	if named == "" {
		named = "want"
	}
	c.Want = cleaned(c.Want)
	if c.Query == "" {
		return Case{}, errors.New("the case has no query")
	}
	if len(c.Want) == 0 {
		return Case{}, fmt.Errorf("the case has no tool in %s", named)
	}
	if len(c.Want) > maxWanted {
		return Case{}, errors.New(tooMany)
	}
	return c, nil
}

// textCase reads a line of text. The query may have an arrow in it, so the last
// arrow or tab parts it from the names, which have none.
func textCase(line string) (Case, error) {
	const arrow = "=>"
	at, size := strings.LastIndex(line, arrow), len(arrow)
	if tab := strings.LastIndexByte(line, '\t'); tab > at {
		at, size = tab, 1
	}
	if at < 0 {
		return Case{}, errors.New("a case is a line such as: open a ticket => create_issue (or a tab for the arrow)")
	}
	query := strings.TrimSpace(line[:at])
	if size == 1 {
		query = strings.TrimSpace(strings.TrimSuffix(query, arrow))
	}
	c := Case{Query: query, Want: cleaned(strings.Split(line[at+size:], ","))}
	switch {
	case query == "":
		return c, errors.New("there is no query before the tool")
	case len(c.Want) == 0:
		return c, errors.New("there is no tool after the query")
	case len(c.Want) > maxWanted:
		return c, errors.New(tooMany)
	case strings.Contains(query, "\t"):
		return c, errors.New("there is a tab in the query: a line has two columns, and several tools have commas between them")
	}
	return c, nil
}

// maxWanted is how many tools one case may want.
const maxWanted = 100

const tooMany = "over 100 tools are wanted; one query finds 50 at most"

// cleaned returns names without the space around them, each once, without
// blank ones; of more than maxWanted only one more.
func cleaned(names []string) []string {
	var clean []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(clean, name) {
			clean = append(clean, name)
		}
		if len(clean) > maxWanted {
			break
		}
	}
	return clean
}
