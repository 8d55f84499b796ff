package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Catalog is every tool there is, before any scope: what the servers listed,
// the plugin toolsets and the core tools. Its JSON form is the snapshot format.
type Catalog struct {
	Servers []Server  `json:"servers"` // in the order of the configuration
	Plugins []Toolset `json:"plugins"`
	Core    []Tool    `json:"core"`
}

// Server is one MCP server's tools and the flags that matter to the engine.
type Server struct {
	Name     string `json:"name"`  // its key in the configuration
	Tools    []Tool `json:"tools"` // in the server's order
	Parallel bool   `json:"supports_parallel_tool_calls,omitempty"`
	Trust    string `json:"trust,omitempty"` // "" is full
}

// Toolset is a plugin toolset: a name and its tools.
type Toolset struct {
	Name  string `json:"name"`
	Tools []Tool `json:"tools"`
}

// ReadCatalog reads a snapshot. It fails where the text is no JSON (the error
// names line and column) or not shaped as a snapshot (it names the place, such
// as servers[2].tools). A tool that cannot be used is left out with a warning;
// an odd one is repaired with a warning (see [ParseTool]).
func ReadCatalog(data []byte) (Catalog, []Warning, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	c, _, err := canonical(data)
	if err != nil {
		var s *syntaxError
		if errors.As(err, &s) {
			line, column := position(data, s.offset)
			return Catalog{}, nil, fmt.Errorf("snapshot: line %d, column %d: invalid JSON: %s", line, column, s.what)
		}
		return Catalog{}, nil, fmt.Errorf("snapshot: %w", err)
	}
	if c[0] != '{' {
		return Catalog{}, nil, fmt.Errorf("snapshot: %s where an object with servers, plugins and core is due", Kind(c))
	}
	r := catalogReader{stems: stemmer{}}
	known := false
	for _, f := range fields(c) {
		switch f.key {
		case "servers":
			known = true
			for i, item := range r.list("servers", f.value) {
				if s := r.server(fmt.Sprintf("servers[%d]", i), item); s.Name != "" {
					r.catalog.Servers = append(r.catalog.Servers, s)
				}
			}
		case "plugins":
			known = true
			for i, item := range r.list("plugins", f.value) {
				if s := r.server(fmt.Sprintf("plugins[%d]", i), item); s.Name != "" {
					r.catalog.Plugins = append(r.catalog.Plugins, Toolset{Name: s.Name, Tools: s.Tools})
				}
			}
		case "core":
			known = true
			r.catalog.Core = r.tools("core", f.value)
		default:
			r.unknown(f.key, f.value)
		}
	}
	if r.err == nil && !known {
		r.err = errors.New("there is none of servers, plugins and core in it: is this a snapshot?")
	}
	if r.err != nil {
		return Catalog{}, nil, fmt.Errorf("snapshot: %w", r.err)
	}
	return r.catalog, r.warnings, nil
}

// catalogReader reads the parts of a snapshot. The first error stays.
type catalogReader struct {
	catalog  Catalog
	warnings []Warning
	err      error
	stems    stemmer
}

func (r *catalogReader) fail(where string, v json.RawMessage, due string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s where %s is due", where, Kind(v), due)
	}
}

func (r *catalogReader) unknown(where string, v json.RawMessage) {
	r.warnings = append(r.warnings, Warning{Key: where, Given: excerpt(v), Message: "snapshot: " + where + " is no key of the format and is ignored"})
}

// list returns the items of a list; null counts as an empty one.
func (r *catalogReader) list(where string, v json.RawMessage) []json.RawMessage {
	if isNull(v) {
		return nil
	}
	if v[0] != '[' {
		r.fail(where, v, "a list")
		return nil
	}
	return items(v)
}

// server reads one server or plugin toolset.
func (r *catalogReader) server(where string, v json.RawMessage) Server {
	var s Server
	if v[0] != '{' {
		r.fail(where, v, "an object with name and tools")
		return s
	}
	for _, f := range fields(v) {
		at := where + "." + f.key
		switch {
		case f.key == "name" && f.value[0] == '"':
			s.Name = text(f.value)
		case f.key == "name":
			r.fail(at, f.value, "a string")
		case f.key == "tools":
			s.Tools = r.tools(at, f.value)
		case isNull(f.value):
		case f.key == "supports_parallel_tool_calls":
			s.Parallel = string(f.value) == "true"
			if Kind(f.value) != "a boolean" {
				r.fail(at, f.value, "true or false")
			}
		case f.key == "trust" && f.value[0] == '"':
			s.Trust = text(f.value)
		case f.key == "trust":
			r.fail(at, f.value, "a string")
		default:
			r.unknown(at, f.value)
		}
	}
	if s.Name == "" && r.err == nil {
		r.err = fmt.Errorf("%s: it has no name", where)
	}
	return s
}

func (r *catalogReader) tools(where string, v json.RawMessage) []Tool {
	var out []Tool
	for i, item := range r.list(where, v) {
		c, depth, err := canonical(item)
		var t Tool
		var warnings []Warning
		if err == nil {
			t, warnings, err = parseTool(c, depth, r.stems)
		}
		if err != nil {
			r.warnings = append(r.warnings, Warning{
				Key:     fmt.Sprintf("%s[%d]", where, i),
				Given:   excerpt(item),
				Message: fmt.Sprintf("snapshot: %s[%d] is left out: %v", where, i, err),
			})
			continue
		}
		r.warnings = append(r.warnings, warnings...)
		out = append(out, t)
	}
	return out
}

// position returns the line and column, from 1, of a byte offset.
func position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// Encode returns the catalog as a snapshot: canonical JSON with a line for
// each tool. The same catalog always gives the same bytes, and reading them
// gives a catalog that assembles to the same bytes. No environment, header,
// argument or URL is in a catalog, so none is in a snapshot.
func (c Catalog) Encode() []byte {
	out := []byte(`{"servers":[`)
	for i, s := range c.Servers {
		out = appendToolset(out, i, s.Name, s.Tools)
		if s.Parallel {
			out = append(out, `,"supports_parallel_tool_calls":true`...)
		}
		if s.Trust != "" {
			out = append(append(out, `,"trust":`...), quote(s.Trust)...)
		}
		out = append(out, '}')
	}
	out = append(out, "],\n\"plugins\":["...)
	for i, p := range c.Plugins {
		out = append(appendToolset(out, i, p.Name, p.Tools), '}')
	}
	out = append(out, "],\n\"core\":["...)
	out = appendTools(out, c.Core)
	return append(out, "]}\n"...)
}

// appendToolset appends the i-th toolset of a list, without its last brace.
func appendToolset(out []byte, i int, name string, tools []Tool) []byte {
	if i > 0 {
		out = append(out, ',')
	}
	out = append(append(out, "\n{\"name\":"...), quote(name)...)
	out = append(out, `,"tools":[`...)
	return append(appendTools(out, tools), ']')
}

func appendTools(out []byte, tools []Tool) []byte {
	for i, t := range tools {
		if i > 0 {
			out = append(out, ',')
		}
		raw, err := t.MarshalJSON()
		if err == nil {
			raw, err = Canonical(raw)
		}
		if err != nil {
			// Only a tool made by hand with a broken Raw can come here; the
			// snapshot must be readable all the same.
			t.Raw = nil
			raw, _ = t.MarshalJSON()
		}
		out = append(append(out, '\n'), raw...)
	}
	return out
}
