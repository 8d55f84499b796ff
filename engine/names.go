package engine

import (
	"encoding/json"
	"fmt"
	"sort"
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

	chars     int // of JSON(), in characters; 0 until measured
	nameChars int // of Name
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
	t := d.Tool.measured()
	out := make([]byte, 0, definitionFrame+len(d.Name)+len(t.Description)+len(t.Schema)+8)
	out = appendQuoted(append(out, definitionStart...), d.Name)
	out = appendQuoted(append(out, definitionDescription...), t.Description)
	out = append(append(out, definitionParameters...), t.Schema...)
	return append(out, definitionEnd...)
}

// Chars returns the length of [Definition.JSON] in characters (Unicode code
// points), from which tokens are estimated.
func (d Definition) Chars() int { return d.measured().chars }

// measured returns d with its lengths, also where it was made by hand.
func (d Definition) measured() Definition {
	if d.chars == 0 {
		d.Tool = d.Tool.measured()
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
	n := len(s.Catalog.Core)
	for _, server := range s.Catalog.Servers {
		n += len(server.Tools)
	}
	for _, plugin := range s.Catalog.Plugins {
		n += len(plugin.Tools)
	}
	l := naming{all: make([]Definition, 0, n), taken: make(map[string]int, n)}
	if s.Scope.Allows(CoreToolset) {
		for _, t := range s.Catalog.Core {
			l.add(Definition{Name: t.Name, Tool: t, Source: SourceCore, Toolset: CoreToolset, Label: CoreToolset})
		}
	}
	core := len(l.all)
	for _, server := range s.Catalog.Servers {
		toolset := "mcp-" + server.Name
		if !s.Scope.Allows(toolset) {
			continue
		}
		label := Label(toolset)
		for _, t := range server.Tools {
			l.add(Definition{Name: WireName(style, server.Name, t.Name), Tool: t, Source: SourceMCP, Toolset: toolset, Label: label, Server: server.Name})
		}
	}
	for _, plugin := range s.Catalog.Plugins {
		if !s.Scope.Allows(plugin.Name) {
			continue
		}
		label := Label(plugin.Name)
		for _, t := range plugin.Tools {
			l.add(Definition{Name: t.Name, Tool: t, Source: SourcePlugin, Toolset: plugin.Name, Label: label})
		}
	}
	sortByName(l.all[core:])
	return l.all, l.warnings
}

// naming gives out wire names, each once.
type naming struct {
	all      []Definition
	taken    map[string]int // wire name → index in all
	warnings []Warning
}

func (l *naming) add(d Definition) {
	warn := func(used, message string) {
		l.warnings = append(l.warnings, Warning{Key: d.Name, Given: origin(d), Used: used, Message: message})
	}
	if IsBridge(d.Name) {
		warn("", fmt.Sprintf("%s has the name of a bridge tool, %s, and is left out", origin(d), d.Name))
		return
	}
	if i, ok := l.taken[d.Name]; ok {
		first := origin(l.all[i])
		warn(first, fmt.Sprintf("%s and %s have one wire name, %s: the first is used, the second is left out", first, origin(d), d.Name))
		return
	}
	d = d.measured()
	if d.nameChars > MaxNameLength {
		warn(d.Name, fmt.Sprintf("the wire name %s has %d characters: model APIs refuse more than %d", d.Name, d.nameChars, MaxNameLength))
	}
	l.taken[d.Name] = len(l.all)
	l.all = append(l.all, d)
}

// origin names a definition's tool by where it comes from.
func origin(d Definition) string {
	switch d.Source {
	case SourceMCP:
		return fmt.Sprintf("tool %q of server %s", d.Tool.Name, d.Server)
	case SourcePlugin:
		return fmt.Sprintf("tool %q of plugin toolset %s", d.Tool.Name, d.Toolset)
	case SourceCore:
		return fmt.Sprintf("core tool %q", d.Tool.Name)
	}
	return fmt.Sprintf("tool %q of unknown origin", d.Tool.Name)
}

// sortByName sorts definitions by wire name, stably. Byte order is code point
// order in UTF-8. The order is computed on indexes since definitions are large.
func sortByName(all []Definition) {
	if sort.SliceIsSorted(all, func(i, j int) bool { return all[i].Name < all[j].Name }) {
		return
	}
	order := make([]int32, len(all))
	for i := range order {
		order[i] = int32(i)
	}
	sort.SliceStable(order, func(i, j int) bool { return all[order[i]].Name < all[order[j]].Name })
	sorted := make([]Definition, len(all))
	for i, from := range order {
		sorted[i] = all[from]
	}
	copy(all, sorted)
}
