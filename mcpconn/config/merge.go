package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"toolscope/engine"
)

// Merge joins configurations in order: a later one adds its servers, plugins
// and sessions, and its settings take the place of earlier ones. A server that
// stands in several is taken from the last, with a warning that names both.
func Merge(configs ...Config) Config {
	if len(configs) == 1 {
		return configs[0]
	}
	all := Config{Origins: map[string]Origin{}, ApprovalTimeout: DefaultApprovalTimeout}
	var paths []string
	for _, c := range configs {
		paths = append(paths, c.Path)
		maps.Copy(all.Origins, c.Origins)
		for _, w := range c.Warnings {
			w.Message = c.Path + ": " + w.Message
			all.Warnings = append(all.Warnings, w)
		}
		for _, s := range c.Servers {
			i := slices.IndexFunc(all.Servers, func(o Server) bool { return o.Name == s.Name })
			if i < 0 {
				all.Servers = append(all.Servers, s)
				continue
			}
			all.Warnings = append(all.Warnings, engine.Warning{
				Key: "mcp_servers." + s.Name, Given: all.Servers[i].place(), Used: s.place(),
				Message: fmt.Sprintf("server %s is defined twice, in %s and in %s: the second is used", s.Name, all.Servers[i].place(), s.place()),
			})
			all.Servers[i] = s
		}
		for _, p := range c.Plugins {
			all.Plugins = append(slices.DeleteFunc(all.Plugins, func(o engine.Toolset) bool { return o.Name == p.Name }), p)
		}
		for _, s := range c.Sessions {
			all.Sessions = append(slices.DeleteFunc(all.Sessions, func(o Session) bool { return o.Name == s.Name }), s)
		}
		all.Hooks = append(all.Hooks, c.Hooks...)
		if _, set := c.Origins["approvals.timeout"]; set {
			all.ApprovalTimeout = c.ApprovalTimeout
		}
		if c.hasBlock || !all.hasBlock {
			all.File, all.hasBlock = c.File, c.hasBlock
		}
		if c.Core != nil {
			all.Core = c.Core
		}
		all.DisabledToolsets = append(all.DisabledToolsets, c.DisabledToolsets...)
		if c.ToolSearchRaw != nil {
			all.ToolSearchRaw = c.ToolSearchRaw
		}
		if c.Engine.ContextLength > 0 {
			all.Engine.ContextLength = c.Engine.ContextLength
		}
		if c.Engine.ToolNames != "" && (c.Engine.ToolNames != engine.NamesSingle || all.Engine.ToolNames == "") {
			all.Engine.ToolNames = c.Engine.ToolNames
		}
	}
	all.Engine.ToolSearch, _ = engine.ParseToolSearch(all.ToolSearchRaw) // each file's own warnings are told already
	all.Path = strings.Join(paths, " + ")
	return all
}

// place is where a server is defined: file and line.
func (s Server) place() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Same reports whether two entries mean the same server, reached and treated
// alike, wherever they stand.
func (s Server) Same(other Server) bool {
	s.File, s.Line, other.File, other.Line = "", 0, "", 0
	return reflect.DeepEqual(s, other)
}
