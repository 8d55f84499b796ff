package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolscope/budget"
)

// hashLength is how many hexadecimal digits a short hash has.
const hashLength = 12

// ToolsJSON returns the tools array the model is given, in canonical JSON: the
// bytes a prompt cache holds. The same session and settings always give the
// same bytes.
func (a Assembly) ToolsJSON() []byte {
	out := []byte{'['}
	for i, d := range a.Tools() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, d.JSON()...)
	}
	return append(out, ']')
}

// Hash returns a short hash of [Assembly.ToolsJSON]: the first 12 hexadecimal
// digits of its SHA-256.
func (a Assembly) Hash() string {
	sum := sha256.Sum256(a.ToolsJSON())
	return hex.EncodeToString(sum[:])[:hashLength]
}

// Part says which part of a tools array a change is in.
type Part string

// The parts of a tools array.
const (
	PartVisible     Part = "visible tool"   // added, removed or moved
	PartDescription Part = "description"    // of a visible tool
	PartSchema      Part = "schema"         // of a visible tool
	PartDeferred    Part = "deferred count" // told in the bridges' descriptions
	PartFraming     Part = "framing"        // what the search bridge tells the model to do, by form
	PartListing     Part = "listing"        // a group's block in the listing
)

// Change is one difference between two tools arrays.
type Change struct {
	Part Part   `json:"part"`
	Name string `json:"name"` // the tool's wire name or the group's label; "" where neither
	What string `json:"what"` // what changed, for a person
}

// Diff is what became of the tools array from one assembly to another, and
// what that costs a prompt cache, which keeps what stands before the first
// change and no more.
type Diff struct {
	Changed    bool     `json:"changed"`
	Changes    []Change `json:"changes"`     // in the order of the array
	KeptTokens int      `json:"kept_tokens"` // of the new array, before the first change
	LostTokens int      `json:"lost_tokens"` // of the new array, from there on: read anew
}

// Compare returns the difference of two assemblies' tools arrays. What is
// behind the bridge and in no listing is in neither array.
func Compare(before, after Assembly) Diff {
	old, now := before.Tools(), after.Tools()
	same := 0
	for same < len(old) && same < len(now) && sameDefinition(old[same], now[same]) {
		same++
	}
	kept, total := 1, 1 // the opening bracket
	for i, d := range now {
		chars := d.Chars() + 1 // and the comma or bracket that follows
		if i < same {
			kept += chars
		}
		total += chars
	}
	if same == len(old) && same == len(now) {
		return Diff{KeptTokens: budget.Estimate(total)}
	}
	if same < len(old) && same < len(now) {
		kept += commonChars(string(old[same].JSON()), string(now[same].JSON()))
	}
	d := Diff{Changed: true, KeptTokens: kept / 4}
	d.LostTokens = budget.Estimate(total) - d.KeptTokens
	d.Changes = append(visibleChanges(before.Visible, after.Visible), bridgeChanges(before, after)...)
	return d
}

func sameDefinition(a, b Definition) bool {
	return a.Name == b.Name && a.Tool.Description == b.Tool.Description && string(a.Tool.schema()) == string(b.Tool.schema())
}

// commonChars returns how many characters two texts begin with in common.
func commonChars(a, b string) int {
	n := 0
	for i, r := range a {
		if i >= len(b) {
			break
		}
		if other, _ := utf8.DecodeRuneInString(b[i:]); other != r {
			break
		}
		n++
	}
	return n
}

// visibleChanges compares the tools that stand in the arrays as they are.
func visibleChanges(old, now []Definition) []Change {
	was := make(map[string]int, len(old))
	for i, d := range old {
		was[d.Name] = i
	}
	var changes []Change
	kept := make([]string, 0, len(now)) // names in both, in the new order
	is := make(map[string]bool, len(now))
	for _, d := range now {
		is[d.Name] = true
		i, ok := was[d.Name]
		if !ok {
			changes = append(changes, Change{PartVisible, d.Name, "added"})
			continue
		}
		kept = append(kept, d.Name)
		if old[i].Tool.Description != d.Tool.Description {
			changes = append(changes, Change{PartDescription, d.Name, "changed"})
		}
		if string(old[i].Tool.schema()) != string(d.Tool.schema()) {
			changes = append(changes, Change{PartSchema, d.Name, "changed"})
		}
	}
	next := 0
	for _, d := range old {
		switch {
		case !is[d.Name]:
			changes = append(changes, Change{PartVisible, d.Name, "removed"})
			continue
		case next < len(kept) && kept[next] != d.Name:
			changes = append(changes, Change{PartVisible, d.Name, "moved"})
		}
		next++
	}
	return changes
}

// bridgeChanges compares the bridges and the listing embedded in one of them.
func bridgeChanges(before, after Assembly) []Change {
	switch {
	case !before.Activated && !after.Activated:
		return nil
	case !before.Activated:
		return []Change{{PartVisible, "", fmt.Sprintf("the bridge tools came, for %s, form %s", countTools(len(after.Deferred)), after.Form)}}
	case !after.Activated:
		return []Change{{PartVisible, "", "the bridge tools went"}}
	}
	var changes []Change
	if old, now := len(before.Deferred), len(after.Deferred); old != now {
		changes = append(changes, Change{PartDeferred, "", fmt.Sprintf("%d → %d", old, now)})
	}
	if before.Form != after.Form {
		changes = append(changes, Change{PartFraming, "", fmt.Sprintf("form %s → %s", before.Form, after.Form)})
	}
	if before.Listing.Text == after.Listing.Text {
		return changes
	}
	old, now := listingBlocks(before), listingBlocks(after)
	var labels []string
	for label := range old {
		labels = append(labels, label)
	}
	for label := range now {
		if _, ok := old[label]; !ok {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	for _, label := range labels {
		if what := blockChange(old[label], now[label]); what != "" {
			changes = append(changes, Change{PartListing, label, what})
		}
	}
	return changes
}

// listed is one group's block as it stands in a listing.
type listed struct {
	group Group
	lines []string
}

// listingBlocks parts a listing into its groups' blocks. Each has as many
// lines as its mode says, so that no name can be taken for the head of another.
func listingBlocks(a Assembly) map[string]listed {
	blocks := make(map[string]listed, len(a.Groups))
	if a.Listing.Text == "" {
		return blocks
	}
	rest := strings.Split(a.Listing.Text, "\n")[1:]
	for _, g := range a.Groups {
		n := 1
		switch g.Mode {
		case ModeFull:
			n += g.Tools
		case ModeNames:
			n++
		}
		n = min(n, len(rest))
		blocks[g.Label] = listed{g, rest[:n]}
		rest = rest[n:]
	}
	return blocks
}

// blockChange says how one group's block differs, "" where it does not.
func blockChange(old, now listed) string {
	switch {
	case slices.Equal(old.lines, now.lines):
		return ""
	case old.lines == nil:
		return fmt.Sprintf("listed, %s (%d)", now.group.Mode, now.group.Tools)
	case now.lines == nil:
		return "no longer listed"
	case old.group.Mode != now.group.Mode:
		return fmt.Sprintf("%s → %s", old.group.Mode, now.group.Mode)
	case old.group.Tools != now.group.Tools:
		return fmt.Sprintf("%d → %d tools", old.group.Tools, now.group.Tools)
	}
	changed := 0
	for i := range now.lines {
		if i >= len(old.lines) || old.lines[i] != now.lines[i] {
			changed++
		}
	}
	if changed == 1 {
		return "1 line changed"
	}
	return fmt.Sprintf("%d lines changed", changed)
}
