package ui

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolscope/ui/display"
)

// content is one part of what a tool answered, as the protocol has it.
type content struct {
	Type     string `json:"type"` // text, image, audio, resource_link, resource
	Text     string `json:"text"`
	Data     string `json:"data"` // base64
	MIME     string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource struct {
		URI  string `json:"uri"`
		MIME string `json:"mimeType"`
		Text string `json:"text"`
		Blob string `json:"blob"`
	} `json:"resource"`
}

// resultLines lays out the answer of a tool: its texts as they read, of images
// and sounds what they are, and what is structured as JSON. It is false for
// what is no such answer.
func resultLines(t theme, raw json.RawMessage, width int) ([]string, bool) {
	var r struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if json.Unmarshal(raw, &r) != nil || r.Content == nil {
		return nil, false
	}
	var out []string
	if r.IsError {
		out = append(out, t.bad.Render("✗ isError: the tool says it failed"))
	}
	if len(r.Content) == 0 {
		out = append(out, t.muted.Render("no content"))
	}
	for _, c := range r.Content {
		out = append(out, c.lines(t, width)...)
	}
	if len(r.Structured) > 0 && string(r.Structured) != "null" {
		out = append(out, t.muted.Render("structuredContent"))
		out = append(out, schemaLines(t, r.Structured, width)...)
	}
	if others := otherKeys(raw); len(others) > 0 {
		out = append(out, t.muted.Render(display.Clip("beside it: "+strings.Join(others, ", "), width)))
	}
	return out, true
}

// otherKeys are the keys of an answer that are not laid out.
func otherKeys(raw json.RawMessage) []string {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for _, known := range []string{"content", "structuredContent", "isError"} {
		delete(all, known)
	}
	return slices.Sorted(maps.Keys(all))
}

// lines are one part of an answer.
func (c content) lines(t theme, width int) []string {
	switch c.Type {
	case "text":
		return texted(t, c.Text, width)
	case "image", "audio":
		return []string{t.accent.Render(display.Clip(fmt.Sprintf("%s %s, %s", c.Type, c.MIME, decoded(c.Data)), width))}
	case "resource_link":
		return broken(t.accent.Render("resource link ")+display.Text(c.Name+" "+c.URI), width)
	case "resource":
		head := t.accent.Render(display.Clip(fmt.Sprintf("resource %s %s", c.Resource.URI, c.Resource.MIME), width))
		if c.Resource.Blob != "" {
			return []string{head, t.muted.Render(decoded(c.Resource.Blob))}
		}
		return append([]string{head}, texted(t, c.Resource.Text, width)...)
	}
	return []string{t.warn.Render(display.Clip(fmt.Sprintf("content of type %q, which the protocol does not know", c.Type), width))}
}

// texted lays out a text of several lines.
func texted(t theme, s string, width int) []string {
	text, whole := firstBytes(s, maxShown)
	out := broken(display.Block(text), width)
	if !whole {
		out = append(out, cutNote(t, len(s), ", y copies them", width)...)
	}
	return out
}

// broken breaks lines that are wider than width.
func broken(text string, width int) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		out = append(out, breakLine(l, width)...)
	}
	return out
}

// decoded says how much is encoded in a base64 text.
func decoded(data string) string {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return fmt.Sprintf("%s of no valid base64", plural(len(data), "character"))
	}
	return plural(len(raw), "byte")
}
