package mcpconn

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// listing is a server's complete list of tools at one moment.
type listing struct {
	tools    []engine.Tool
	filtered []string
	warnings []engine.Warning
	bytes    int // of the results, as they came
	pages    int
	took     time.Duration
	digest   [sha256.Size]byte // of the tools, as they came
}

// maxWarnings bounds the warnings of one listing.
const maxWarnings = 200

// list asks for every page of tools/list. The results are read raw, so that
// schemas stay as they came. progress is told the number of tools so far.
func (c *connection) list(ctx context.Context, server config.Server, progress func(tools int)) (listing, error) {
	c.listed.Store(true)
	start := time.Now()
	l := lister{server: server, seen: map[[sha256.Size]byte]bool{}, cursors: map[string]bool{}}
	var cursor json.RawMessage
	for more := true; more; {
		raw, err := c.request(ctx, string(mcp.MethodToolsList), listParams{cursor})
		if err != nil {
			if l.pages == 0 && c.offersNoTools(err) {
				l.warn("", "the server offers no tools")
				break
			}
			return listing{}, err
		}
		if cursor, more, err = l.page(raw); err != nil {
			return listing{}, err
		}
		if more {
			progress(len(l.raws))
		}
	}
	out := l.finish()
	c.addUtilities(&out, server)
	out.took = time.Since(start)
	return out, nil
}

type listParams struct {
	Cursor json.RawMessage `json:"cursor,omitempty"`
}

// offersNoTools reports whether a server that refused tools/list said at the
// handshake already that it has no tools.
func (c *connection) offersNoTools(err error) bool {
	var answer *AnswerError
	return errors.As(err, &answer) && answer.Code == mcp.METHOD_NOT_FOUND && c.client.GetServerCapabilities().Tools == nil
}

// lister gathers the pages of one listing.
type lister struct {
	server   config.Server
	raws     []json.RawMessage
	warnings []engine.Warning
	more     int // warnings beyond the bound
	bytes    int
	pages    int
	seen     map[[sha256.Size]byte]bool // pages by digest
	cursors  map[string]bool
}

// page takes one result and returns the cursor of the next page; more is false
// where the listing ends.
func (l *lister) page(raw json.RawMessage) (cursor json.RawMessage, more bool, err error) {
	l.pages++
	l.bytes += len(raw)
	var page struct {
		Tools      json.RawMessage `json:"tools"`
		NextCursor json.RawMessage `json:"nextCursor"`
	}
	var tools []json.RawMessage
	if json.Unmarshal(raw, &page) != nil || json.Unmarshal(page.Tools, &tools) != nil || tools == nil {
		return nil, false, errors.New("the answer has no list of tools")
	}
	digest := sha256.Sum256(page.Tools)
	if l.seen[digest] {
		l.warn("", "page %d repeats an earlier page: the server ignores the cursor; the listing ends before it", l.pages)
		return nil, false, nil
	}
	l.seen[digest] = true
	l.raws = append(l.raws, tools...)

	cursor = bytes.TrimSpace(page.NextCursor)
	switch {
	case len(cursor) == 0 || string(cursor) == "null" || string(cursor) == `""`:
		return nil, false, nil
	case cursor[0] == '{' || cursor[0] == '[' || cursor[0] == 't' || cursor[0] == 'f':
		l.warn("", "the cursor after page %d is neither a string nor a number: the listing ends there", l.pages)
		return nil, false, nil
	case l.cursors[string(cursor)]:
		l.warn("", "the cursor after page %d was given before: the listing ends there", l.pages)
		return nil, false, nil
	case l.pages >= maxPages, len(l.raws) >= maxTools, l.bytes >= maxListing:
		l.warn("", "the listing ends after page %d with %d tools, though the server has more", l.pages, len(l.raws))
		return nil, false, nil
	}
	l.cursors[string(cursor)] = true
	return cursor, true, nil
}

// warn notes one oddity of the listing; tool is the tool's name, if it is one's.
func (l *lister) warn(tool, format string, args ...any) {
	l.add(engine.Warning{Key: tool, Message: fmt.Sprintf(format, args...)})
}

func (l *lister) add(w engine.Warning) {
	if len(l.warnings) >= maxWarnings {
		l.more++
		return
	}
	if w.Key == "" {
		w.Key = "mcp_servers." + l.server.Name
	}
	w.Message = l.server.Name + ": " + w.Message
	l.warnings = append(l.warnings, w)
}

// finish parses the tools and filters them.
func (l *lister) finish() listing {
	out := listing{bytes: l.bytes, pages: l.pages}
	keep := newFilter(l.server.Name, l.server.Include, l.server.Exclude)
	hash := sha256.New()
	for i, raw := range l.raws {
		fmt.Fprintf(hash, "%d:", len(raw))
		hash.Write(raw)
		tool, warnings, err := engine.ParseTool(raw)
		if err != nil {
			l.warn("", "tools[%d] is left out: %v", i, err)
			continue
		}
		if !keep.keep(tool.Name) {
			out.filtered = append(out.filtered, tool.Name)
			continue
		}
		for _, w := range warnings {
			l.add(w)
		}
		out.tools = append(out.tools, tool)
	}
	for _, w := range keep.unmatched() {
		l.add(w)
	}
	if n := len(out.filtered); n > 0 && len(out.tools) == 0 {
		l.add(engine.Warning{Key: keep.key, Message: fmt.Sprintf("all of its %d tools are left out by %s", n, keep.key)})
	}
	out.warnings = l.warnings
	if l.more > 0 {
		out.warnings = append(out.warnings, engine.Warning{Key: "mcp_servers." + l.server.Name,
			Message: fmt.Sprintf("%s: %d more warnings are left out", l.server.Name, l.more)})
	}
	hash.Sum(out.digest[:0])
	return out
}
