package config

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"toolscope/engine"
)

// workbench reads toolscope:, the workbench's own block.
func (l *loader) workbench(block *node, cfg *Config) {
	if block.absent() {
		return
	}
	l.unknown(block, "toolscope", []string{"context_length", "tool_names", "core_tools", "plugins", "disabled_toolsets", "sessions"})
	cfg.Plugins = l.plugins(block.get("plugins"))
	cfg.Core = l.core(block.get("core_tools"))
	cfg.DisabledToolsets = l.names(block.get("disabled_toolsets"), "toolscope.disabled_toolsets")
	cfg.Sessions = l.sessions(block.get("sessions"))
}

// contextLength takes toolscope.context_length, then model.context_length.
func (l *loader) contextLength(root *node) int {
	for _, block := range []string{"toolscope", "model"} {
		key := block + ".context_length"
		n := root.get(block).get("context_length")
		if n.absent() {
			continue
		}
		if tokens, ok := l.tokens(n, key); ok {
			l.from("context_length", root.get(block).lineOf("context_length"))
			return tokens
		}
	}
	return 0
}

// maxContext bounds a context length, in tokens.
const maxContext = 1_000_000_000

// tokens reads a number of tokens: 200000, "200000", or "200k", which is taken
// as 200,000 and said so.
func (l *loader) tokens(n *node, key string) (int, bool) {
	f, ok := n.number()
	if !ok && n.kind == kindString {
		word := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(n.text), "_", ""))
		unit := 1.0
		switch {
		case strings.HasSuffix(word, "k"):
			unit = 1_000
		case strings.HasSuffix(word, "m"):
			unit = 1_000_000
		}
		if parsed, err := strconv.ParseFloat(strings.TrimRight(word, "km"), 64); err == nil && !math.IsNaN(parsed) {
			f, ok = parsed*unit, true
			if unit > 1 && f >= 0 && f <= maxContext {
				l.warn(key, n.line, clip(n.text), strconv.Itoa(int(f)), fmt.Sprintf("%s is read as %d tokens", clip(n.text), int(f)))
			}
		}
	}
	switch {
	case !ok:
		l.warn(key, n.line, "", "", key+" is no number of tokens: it is ignored")
		return 0, false
	case f < 0 || f > maxContext:
		l.warn(key, n.line, clip(n.text), "", fmt.Sprintf("%s must be between 0 (unknown) and %d tokens: it is ignored", key, maxContext))
		return 0, false
	case f != math.Trunc(f):
		l.warn(key, n.line, clip(n.text), strconv.Itoa(int(f)), fmt.Sprintf("%s is a whole number of tokens: %d is used", key, int(f)))
	}
	return int(f), true
}

// toolNames reads toolscope.tool_names.
func (l *loader) toolNames(block *node) engine.NameStyle {
	n := block.get("tool_names")
	if n.absent() {
		return engine.NamesSingle
	}
	switch word := strings.ToLower(strings.TrimSpace(n.text)); engine.NameStyle(word) {
	case engine.NamesSingle, engine.NamesDouble:
		l.from("tool_names", n.line)
		return engine.NameStyle(word)
	default:
		l.warn("toolscope.tool_names", n.line, clip(n.text), string(engine.NamesSingle), "tool_names is neither single nor double: single is used")
		return engine.NamesSingle
	}
}

// plugins reads toolscope.plugins: a mapping of toolsets to their tools, or a
// list of {name, tools} as in a snapshot.
func (l *loader) plugins(n *node) []engine.Toolset {
	const at = "toolscope.plugins"
	var sets []engine.Toolset
	switch {
	case n.absent():
	case n.kind == kindMap:
		for _, p := range n.pairs {
			sets = append(sets, engine.Toolset{Name: p.key, Tools: l.tools(p.value, at+"."+p.key)})
		}
	case n.kind == kindList:
		for i, item := range n.items {
			key := fmt.Sprintf("%s[%d]", at, i)
			name := l.text(item.get("name"), key+".name")
			if name == "" {
				l.warn(key, item.line, "", "", key+" has no name: it is left out")
				continue
			}
			sets = append(sets, engine.Toolset{Name: name, Tools: l.tools(item.get("tools"), key+".tools")})
		}
	default:
		l.warn(at, n.line, "", "", fmt.Sprintf("%s is %s where a mapping of toolsets is due: it is ignored", at, n.kind))
	}
	return sets
}

// core reads toolscope.core_tools: the tools themselves, or the name of a JSON
// or YAML file that lists them.
func (l *loader) core(n *node) []engine.Tool {
	const at = "toolscope.core_tools"
	if n.absent() || n.kind != kindString {
		return l.tools(n, at)
	}
	path := l.expand(n.text, at, n.line).text
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.opts.Dir, path)
	}
	data, err := readFile(path, maxFileBytes)
	if err != nil {
		l.warn(at, n.line, path, "", fmt.Sprintf("%s cannot be read (%v): there are no core tools", path, cause(err)))
		return nil
	}
	// JSON is YAML too.
	root, places, err := parseYAML(path, data)
	if err != nil {
		l.warn(at, n.line, path, "", err.Error()+": there are no core tools")
		return nil
	}
	for _, p := range places {
		l.warn(at, 0, path, "", fmt.Sprintf("%s:%d: %s", path, p.line, p.message))
	}
	if list := root.get("core"); list != nil { // a snapshot
		root = list
	} else if list := root.get("tools"); list != nil { // a tools/list answer
		root = list
	}
	return l.tools(root, at)
}

// tools reads a list of tools in the shape of tools/list. The definitions that
// a model receives, {"type":"function","function":{…}}, are understood too.
func (l *loader) tools(n *node, at string) []engine.Tool {
	if n.absent() {
		return nil
	}
	if n.kind != kindList {
		l.warn(at, n.line, "", "", fmt.Sprintf("%s is %s where a list of tools is due: it is ignored", at, n.kind))
		return nil
	}
	var tools []engine.Tool
	for i, item := range n.items {
		key := fmt.Sprintf("%s[%d]", at, i)
		raw, ok := definition(item).json()
		if !ok {
			l.warn(key, item.line, "", "", key+" unfolds to too many values: it is left out")
			continue
		}
		tool, warnings, err := engine.ParseTool(json.RawMessage(raw))
		if err != nil {
			l.warn(key, item.line, "", "", fmt.Sprintf("%s is left out: %v", key, err))
			continue
		}
		for _, w := range warnings {
			l.warn(key, item.line, w.Given, w.Used, fmt.Sprintf("%s (%s): %s", key, clip(tool.Name), w.Message))
		}
		tools = append(tools, tool)
	}
	return tools
}

// definition turns a definition as a model receives it into a tool as
// tools/list has it; anything else stays.
func definition(n *node) *node {
	f := n.get("function")
	if f == nil || f.kind != kindMap {
		return n
	}
	tool := &node{kind: kindMap, line: n.line}
	for _, p := range f.pairs {
		if p.key == "parameters" {
			p.key = "inputSchema"
		}
		tool.pairs = append(tool.pairs, p)
	}
	return tool
}

// sessions reads toolscope.sessions: names to {enabled_toolsets,
// disabled_toolsets}.
func (l *loader) sessions(n *node) []Session {
	const at = "toolscope.sessions"
	if n.absent() {
		return nil
	}
	if n.kind != kindMap {
		l.warn(at, n.line, "", "", fmt.Sprintf("%s is %s where a mapping of sessions is due: it is ignored", at, n.kind))
		return nil
	}
	var sessions []Session
	for _, p := range n.pairs {
		key := at + "." + p.key
		if !p.value.absent() && p.value.kind != kindMap {
			l.warn(key, p.line, "", "", fmt.Sprintf("%s is %s where a mapping with enabled_toolsets or disabled_toolsets is due: it is left out", key, p.value.kind))
			continue
		}
		l.unknown(p.value, key, []string{"enabled_toolsets", "disabled_toolsets"})
		sessions = append(sessions, Session{Name: p.key, Scope: engine.Scope{
			Enabled:  l.names(p.value.get("enabled_toolsets"), key+".enabled_toolsets"),
			Disabled: l.names(p.value.get("disabled_toolsets"), key+".disabled_toolsets"),
		}})
	}
	return sessions
}

// knownToolsets warns of toolsets that are switched on or off and that there are
// none of: neither a server, nor a plugin, nor the core.
func (l *loader) knownToolsets(block *node, cfg Config) {
	known := map[string]bool{engine.CoreToolset: true}
	for _, s := range cfg.Servers {
		known["mcp-"+s.Name], known[s.Name] = true, true
	}
	for _, p := range cfg.Plugins {
		known[p.Name] = true
	}
	check := func(n *node, key string, line int) {
		if n.absent() {
			return
		}
		for _, name := range textsOf(n) {
			if !known[name] {
				l.warn(key, line, name, name, fmt.Sprintf("there is no toolset %s: neither a server (mcp-NAME) nor a plugin, nor core; it may come with another --config", name))
			}
		}
	}
	check(block.get("disabled_toolsets"), "toolscope.disabled_toolsets", block.lineOf("disabled_toolsets"))
	for _, p := range block.get("sessions").children() {
		for _, key := range []string{"enabled_toolsets", "disabled_toolsets"} {
			check(p.value.get(key), "toolscope.sessions."+p.key+"."+key, p.value.lineOf(key))
		}
	}
}

// textsOf returns the strings of a list, or the one string.
func textsOf(n *node) []string {
	if n.scalar() {
		return []string{strings.TrimSpace(n.text)}
	}
	var all []string
	for _, item := range n.items {
		if item.scalar() {
			all = append(all, strings.TrimSpace(item.text))
		}
	}
	return all
}
