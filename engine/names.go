package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// NameStyle is how a server's tool becomes a wire name.
type NameStyle string

// The two styles in use.
const (
	NamesSingle NameStyle = "single" // mcp_<server>_<tool>
	NamesDouble NameStyle = "double" // mcp__<server>__<tool>
)

// MaxNameLength is the most characters a wire name may have for model APIs to
// take it. A longer one is kept and warned about.
const MaxNameLength = 64

// CoreToolset is the toolset of the core tools.
const CoreToolset = "core"

// Definition is one tool under the name the model sees it by.
type Definition struct {
	Name    string // the wire name
	Tool    Tool
	Source  Source
	Toolset string // "mcp-<server>", a plugin's toolset, "core"
	Label   string // the group's label: the toolset less a leading "mcp-"
	Server  string // the server's name in the configuration, for SourceMCP

	Parallel bool   // its server says supports_parallel_tool_calls
	Trust    string // its server's trust; "" is full

	chars     int // of JSON(), in characters; 0 until measured
	nameChars int // of Name

	named  bool   // the wire name was made of the prefix and the tool's own name
	prefix string // the server's name, or nothing
}

// The parts of a definition's JSON around its name, description and schema.
const (
	definitionStart       = `{"type":"function","function":{"name":`
	definitionDescription = `,"description":`
	definitionParameters  = `,"parameters":`
	definitionEnd         = `}}`
	definitionFrame       = len(definitionStart) + len(definitionDescription) + len(definitionParameters) + len(definitionEnd)
)

// JSON returns the definition as a model receives it, in canonical JSON.
func (d Definition) JSON() json.RawMessage {
	schema := d.Tool.schema()
	out := make([]byte, 0, definitionFrame+len(d.Name)+len(d.Tool.Description)+len(schema)+8)
	out = appendQuoted(append(out, definitionStart...), d.Name)
	out = appendQuoted(append(out, definitionDescription...), d.Tool.Description)
	out = append(append(out, definitionParameters...), schema...)
	return append(out, definitionEnd...)
}

// Chars returns the length of [Definition.JSON] in characters (Unicode code
// points), from which tokens are estimated.
func (d Definition) Chars() int { return d.measured().chars }

// measured returns d with its lengths, also where it was made by hand.
func (d Definition) measured() Definition {
	if d.chars == 0 {
		d.Tool = d.Tool.measured()
		if !d.named {
			// A definition made by hand: its document begins with the wire name.
			t := d.Tool
			t.Name = d.bareName()
			d.Tool.facts = measure(t, stemmer{})
		}
		d.chars = definitionFrame + quotedChars(d.Name) + d.Tool.facts.descriptionChars + d.Tool.facts.schemaChars
		d.nameChars = utf8.RuneCountInString(d.Name)
	}
	return d
}

// WireName returns the name by which a model calls a server's tool. In both
// parts each character other than A–Z, a–z, 0–9 and _ becomes one _. A style
// other than [NamesDouble] is single.
func WireName(style NameStyle, server, tool string) string {
	joint := "_"
	if style == NamesDouble {
		joint = "__"
	}
	var b strings.Builder
	b.Grow(len("mcp") + 2*len(joint) + len(server) + len(tool))
	b.WriteString("mcp")
	for _, part := range [...]string{server, tool} {
		b.WriteString(joint)
		for _, r := range part {
			if r != '_' && !isAlphanumeric(r) {
				r = '_'
			}
			b.WriteByte(byte(r))
		}
	}
	return b.String()
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// Label returns the label of a toolset's group: the toolset less a leading
// "mcp-", or "other" where that leaves nothing. Toolsets with one label share
// a group.
func Label(toolset string) string {
	if label := strings.TrimPrefix(toolset, "mcp-"); label != "" {
		return label
	}
	return "other"
}

// Definitions returns the session's tools under their wire names: core tools
// first in the order given, then the deferrable ones sorted by wire name (code
// points). Of two tools with one wire name the first wins, in the order core,
// servers, plugins; the other, and a tool with a bridge's name, is left out
// with a warning. A name longer than [MaxNameLength] is warned about.
func Definitions(s Session, style NameStyle) ([]Definition, []Warning) {
	var n naming
	var core, deferrable []candidate
	if s.Scope.Allows(CoreToolset) {
		o := &owner{source: SourceCore, toolset: CoreToolset, label: CoreToolset, tools: s.Catalog.Core}
		for i, t := range o.tools {
			core = append(core, candidate{t.Name, o, i, len(core)})
		}
	}
	for _, server := range s.Catalog.Servers {
		toolset := "mcp-" + server.Name
		if !s.Scope.Allows(toolset) {
			continue
		}
		o := &owner{source: SourceMCP, toolset: toolset, label: Label(toolset), server: server.Name, parallel: server.Parallel, trust: server.Trust, tools: server.Tools}
		deferrable = slices.Grow(deferrable, len(o.tools))
		for i, t := range o.tools {
			deferrable = append(deferrable, candidate{WireName(style, server.Name, t.Name), o, i, len(deferrable)})
		}
	}
	for _, plugin := range s.Catalog.Plugins {
		if !s.Scope.Allows(plugin.Name) {
			continue
		}
		o := &owner{source: SourcePlugin, toolset: plugin.Name, label: Label(plugin.Name), tools: plugin.Tools}
		deferrable = slices.Grow(deferrable, len(o.tools))
		for i, t := range o.tools {
			deferrable = append(deferrable, candidate{t.Name, o, i, len(deferrable)})
		}
	}
	n.all = make([]Definition, 0, len(core)+len(deferrable))
	taken := make(map[string]candidate, len(core))
	for _, c := range core {
		if first, ok := taken[c.name]; ok {
			n.shadowed(first, c)
		} else if n.add(c) {
			taken[c.name] = c
		}
	}
	// Tools of one name stay in the order in which they win.
	slices.SortFunc(deferrable, func(a, b candidate) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return cmp.Compare(a.place, b.place)
	})
	for i, c := range deferrable {
		if first, ok := taken[c.name]; ok {
			n.shadowed(first, c)
		} else if i > 0 && deferrable[i-1].name == c.name && !IsBridge(c.name) {
			first := i - 1
			for first > 0 && deferrable[first-1].name == c.name {
				first--
			}
			n.shadowed(deferrable[first], c)
		} else {
			n.add(c)
		}
	}
	return n.all, n.warnings
}

// owner is what the tools of one server, plugin or the core have in common.
type owner struct {
	source   Source
	toolset  string
	label    string
	server   string
	parallel bool
	trust    string
	tools    []Tool
}

// candidate is a tool that would have a wire name.
type candidate struct {
	name  string
	owner *owner
	tool  int // its index among the owner's
	place int // its index among all candidates
}

// String names the candidate by where it comes from.
func (c candidate) String() string {
	name := c.owner.tools[c.tool].Name
	switch c.owner.source {
	case SourceMCP:
		return fmt.Sprintf("tool %q of server %s", name, c.owner.server)
	case SourcePlugin:
		return fmt.Sprintf("tool %q of plugin toolset %s", name, c.owner.toolset)
	}
	return fmt.Sprintf("core tool %q", name)
}

// naming gathers definitions and what was odd about their names.
type naming struct {
	all      []Definition
	warnings []Warning
}

func (n *naming) warn(c candidate, used, message string) {
	n.warnings = append(n.warnings, Warning{Key: c.name, Given: c.String(), Used: used, Message: message})
}

// add makes a candidate a definition, unless it has a bridge's name.
func (n *naming) add(c candidate) bool {
	if IsBridge(c.name) {
		n.warn(c, "", fmt.Sprintf("%s has the name of a bridge tool, %s, and is left out", c, c.name))
		return false
	}
	d := Definition{
		Name:    c.name,
		Tool:    c.owner.tools[c.tool],
		Source:  c.owner.source,
		Toolset: c.owner.toolset,
		Label:   c.owner.label,
		Server:  c.owner.server,

		named:    true,
		prefix:   c.owner.server,
		Parallel: c.owner.parallel,
		Trust:    c.owner.trust,
	}.measured()
	if d.nameChars > MaxNameLength {
		n.warn(c, c.name, fmt.Sprintf("the wire name %s has %d characters: model APIs refuse more than %d", c.name, d.nameChars, MaxNameLength))
	}
	n.all = append(n.all, d)
	return true
}

func (n *naming) shadowed(first, c candidate) {
	n.warn(c, first.String(), fmt.Sprintf("%s and %s have one wire name, %s: the first is used, the second is left out", first, c, c.name))
}

// sortByName sorts definitions by wire name, stably. Byte order is code point
// order in UTF-8.
func sortByName(all []Definition) {
	byName := func(a, b Definition) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(all, byName) {
		slices.SortStableFunc(all, byName)
	}
}
