package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// manifestHeader is the first line of every listing.
const manifestHeader = "Tools kept behind the bridge (schema from `tool_describe`, calls by `tool_call`):"

// manifestHeaderChars is its length in characters; it is all ASCII.
const manifestHeaderChars = len(manifestHeader)

// block is one group of the listing: the deferrable tools under one label.
type block struct {
	label  string
	source Source
	tools  []int32 // indexes of the definitions, in the order of their wire names
	chars  blockChars
}

// blockChars is the length of a block in each form, in characters, without the
// newline that joins it to the one before.
type blockChars struct{ full, names, summary int }

// blocks groups deferrable definitions, which are sorted by wire name, by
// label, and measures each block in every form. They are sorted by label.
func blocks(deferrable []Definition) []block {
	var all []block
	at := make(map[string]int)
	last, lastLabel := -1, ""
	for i := range deferrable {
		d := &deferrable[i]
		if last < 0 || d.Label != lastLabel {
			j, ok := at[d.Label]
			if !ok {
				j = len(all)
				at[d.Label] = j
				all = append(all, block{label: d.Label, source: d.Source})
			}
			last, lastLabel = j, d.Label
		}
		b := &all[last]
		b.tools = append(b.tools, int32(i))
		if d.Source == SourceMCP {
			b.source = SourceMCP
		}
		b.chars.full += len("\n- ") + d.nameChars
		if short := d.Tool.facts.shortChars; short > 0 {
			b.chars.full += len(": ") + short
		}
		b.chars.names += len(", ") + d.nameChars
	}
	for i := range all {
		b := &all[i]
		label := utf8.RuneCountInString(b.label)
		count := len(strconv.Itoa(len(b.tools)))
		head := label + utf8.RuneCountInString(fmt.Sprintf(blockHead, "", 0)) - 1 + count
		b.chars.full += head
		b.chars.names += head + len("\n") - len(", ")
		b.chars.summary = label + utf8.RuneCountInString(fmt.Sprintf(blockSummary, "", 0)) - 1 + count
	}
	slices.SortFunc(all, func(a, b block) int { return strings.Compare(a.label, b.label) })
	return all
}

// The first line of a block that names its tools, and the one line of a block
// that does not.
const (
	blockHead    = "%s tools (%d):"
	blockSummary = "%s (%d tools — too many to list; find them by `tool_search`)"
)

// manifest renders the listing with each block in its mode.
func manifest(deferrable []Definition, blocks []block, modes []Mode) string {
	size := len(manifestHeader)
	for i, b := range blocks {
		// In bytes this is exact for ASCII and near enough for the rest.
		size += 1 + max(b.chars.summary, b.chars.names)
		if modes[i] == ModeFull {
			size += b.chars.full
		}
	}
	var out strings.Builder
	out.Grow(size)
	out.WriteString(manifestHeader)
	for i, b := range blocks {
		out.WriteByte('\n')
		if modes[i] == ModeSummary {
			fmt.Fprintf(&out, blockSummary, b.label, len(b.tools))
			continue
		}
		fmt.Fprintf(&out, blockHead, b.label, len(b.tools))
		for j, t := range b.tools {
			d := &deferrable[t]
			switch {
			case modes[i] == ModeFull:
				out.WriteByte('\n')
				writeFull(&out, d)
			case j == 0:
				out.WriteByte('\n')
				out.WriteString(d.Name)
			default:
				out.WriteString(", ")
				out.WriteString(d.Name)
			}
		}
	}
	return out.String()
}

// writeFull writes the line of a tool with its short description.
func writeFull(out *strings.Builder, d *Definition) {
	out.WriteString("- ")
	out.WriteString(d.Name)
	if short := d.Tool.facts.short; short != "" {
		out.WriteString(": ")
		out.WriteString(short)
	}
}

// ListingLine returns how the listing tells of a deferred tool, given by its
// wire name: the line with its short description ([ModeFull]), its name in the
// line of its group ([ModeNames]), or the one line of its group, which names no
// tool ([ModeSummary]). The line is "" with [ModeNone] where no listing is
// embedded, and both are "" where there is no such tool.
func (a Assembly) ListingLine(tool string) (line string, mode Mode) {
	doc := a.index().names.find(tool)
	if doc < 0 {
		return "", ""
	}
	d := &a.Deferred[doc]
	i := slices.IndexFunc(a.Groups, func(g Group) bool { return g.Label == d.Label })
	if i < 0 {
		return "", ModeNone
	}
	switch g := a.Groups[i]; g.Mode {
	case ModeFull:
		var out strings.Builder
		writeFull(&out, d)
		return out.String(), g.Mode
	case ModeNames:
		return d.Name, g.Mode
	case ModeSummary:
		return fmt.Sprintf(blockSummary, g.Label, g.Tools), g.Mode
	default:
		return "", g.Mode
	}
}
