package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolscope/engine"
)

// ParseCases reads a set of queries as [engine.ParseCases] does, and YAML too: a
// list of mappings, at the top or under the key queries, each with what
// [engine.ParseCase] reads.
//
//	queries:
//	  - query: open a ticket
//	    expect: create_issue      # or a list; expected, tools and want mean the same
//	    limit: 3                  # where it is not the common one
//
// The first line that is neither blank nor a comment tells the shape. The name
// is that of the file, for errors, which begin with name:line; it fails on the
// first fault.
func ParseCases(name string, data []byte) ([]engine.Case, error) {
	if !yamlCases(data) {
		return engine.ParseCases(name, data)
	}
	if at := invalidUTF8(data); at >= 0 {
		return nil, fmt.Errorf("%s:%d: the text is not UTF-8", name, 1+strings.Count(string(data[:at]), "\n"))
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("%s: over %d MB of YAML: write so long a set as text or as JSON, a line a case", name, maxFileBytes>>20)
	}
	root, faults, err := parseYAML(name, data)
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		if f.key == "" {
			return nil, fmt.Errorf("%s:%d: another YAML document begins here: a set of queries is one", name, f.line)
		}
		return nil, fmt.Errorf("%s:%d: %q stands twice in one mapping", name, f.line, f.key)
	}
	list, err := caseList(name, root)
	if err != nil {
		return nil, err
	}
	cases := make([]engine.Case, 0, len(list.items))
	left := maxUnfolded
	for _, item := range list.items {
		var raw strings.Builder
		if item.writeJSON(&raw, &left); left < 0 {
			return nil, fmt.Errorf("%s:%d: aliases make this set too long", name, max(1, item.line))
		}
		c, err := engine.ParseCase(json.RawMessage(raw.String()))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, max(1, item.line), err)
		}
		c.Line = item.line
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: there is no case in it; a case is a mapping such as: {query: open a ticket, expect: create_issue}", name)
	}
	return cases, nil
}

// caseKeys are the keys of a case.
func caseKeys() []string { return []string{"query", "expect", "expected", "tools", "want", "limit"} }

const keyQueries = "queries"

// caseList finds the list of cases in a YAML file.
func caseList(name string, root *node) (*node, error) {
	list := root
	if root != nil && root.kind == kindMap {
		for _, p := range root.pairs {
			switch {
			case p.key == keyQueries:
			case slices.Contains(caseKeys(), p.key):
				return nil, fmt.Errorf("%s:%d: a case stands in a list: put a dash before its first key", name, p.line)
			default:
				return nil, fmt.Errorf("%s:%d: %q is no key of a set, which has %s", name, p.line, p.key, keyQueries)
			}
		}
		list = root.get(keyQueries)
	}
	switch {
	case list.absent():
		return &node{kind: kindList}, nil
	case list.kind != kindList:
		return nil, fmt.Errorf("%s:%d: %s where a list of cases is due", name, max(1, list.line), list.kind)
	}
	return list, nil
}

// yamlCases reports whether a set of queries is YAML, by its first line that is
// neither blank nor a comment. What could be a line of text as well, or JSON, is
// not taken for YAML.
func yamlCases(data []byte) bool {
	rest := strings.TrimPrefix(string(data), "\ufeff")
	line := ""
	for rest != "" && (line == "" || line[0] == '#') {
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.TrimSpace(line)
	}
	if line == "" || line[0] == '#' {
		return false
	}
	if line[0] == '{' || line[0] == '[' {
		return yamlFlow(line + "\n" + rest)
	}
	item, dashed := strings.CutPrefix(line, "-")
	item = strings.TrimSpace(item)
	key, value, keyed := strings.Cut(item, ":")
	key, value = strings.Trim(key, " \"'"), strings.TrimSpace(value)
	switch {
	case dashed && (strings.HasPrefix(item, "{") || keyed && slices.Contains(caseKeys(), key)):
		return true
	case keyed && key == keyQueries && (value == "" || strings.ContainsRune("[#&*!", rune(value[0]))):
		return true
	case strings.Contains(line, "=>") || strings.Contains(line, "\t"):
		return false
	}
	return dashed || keyed || line[0] == '%'
}

// yamlFlow reports whether text that begins with a bracket is YAML and not JSON:
// a key is not in double quotes, or it is the one that a set of YAML has.
func yamlFlow(text string) bool {
	inner := strings.TrimLeft(text, "[{ \t\r\n")
	if strings.HasPrefix(text, "{") && strings.HasPrefix(strings.TrimLeft(inner, `"'`), keyQueries) {
		return true
	}
	return strings.Contains(text[:len(text)-len(inner)], "{") && inner != "" && !strings.ContainsRune(`"}]`, rune(inner[0]))
}

// invalidUTF8 is where text stops to be UTF-8, -1 where all of it is.
func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
