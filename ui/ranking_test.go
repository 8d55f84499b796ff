package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

// zones is a catalog of so many tools that one query finds, no two with the
// same score.
func zones(tb testing.TB, n int) Snapshot {
	servers := map[string][]json.RawMessage{}
	for i := range n {
		servers["sky"] = append(servers["sky"], queryTool(fmt.Sprintf("zone_%03d", i), "Update a zone."+strings.Repeat(" More of it.", i), []string{"name"}))
	}
	return Snapshot{Assembly: queryAssembly(tb, nil, servers, "sky")}
}

// queryPinned does what the model does with an expected tool.
func queryPinned(s Snapshot, tool string) Snapshot {
	s.Pinned = nil
	for _, r := range s.Queries {
		p := Pinned{Why: s.Assembly.Why(r.Query, tool, 0, engine.Session{}, nil)}
		p.Hit, _ = s.Assembly.Rank(r.Query, p.Why.Tool)
		s.Pinned = append(s.Pinned, p)
	}
	return s
}

func TestRankingFrames(t *testing.T) {
	pinned := func(tool, line string) func(testing.TB) Snapshot {
		return func(tb testing.TB) Snapshot { return queryPinned(querySnapshot(tb, line), tool) }
	}
	sizes := map[string][2]int{"160x48": {106, 14}, "120x36": {74, 9}, "80x24": {78, 19}}
	for _, tc := range []struct {
		name  string
		state func(testing.TB) Snapshot
		keys  []string
	}{
		{"below the limit", func(tb testing.TB) Snapshot { return querySearch(zones(tb, 80), "update zone 7") }, []string{"down", "down", "down", "down", "down", "down"}},
		{"the end of many", func(tb testing.TB) Snapshot { return querySearch(zones(tb, 80), "update zone") }, []string{"G"}},
		{"detail below the limit", func(tb testing.TB) Snapshot { return querySnapshot(tb, "create issues") }, []string{"G", "enter"}},
		{"expected, below the limit", pinned("mcp_harbour_list_issues", "create issues"), nil},
		{"expected, within the limit", pinned("mcp_harbour_create_issue", "create issues"), nil},
		{"expected, the last", pinned("mcp_harbour_close_issue", "create issues"), nil},
		{"expected, not found", pinned("mcp_post_list_channels", "create issues"), []string{"G"}},
		{"expected, its detail", pinned("mcp_harbour_create_issue", "create issues"), []string{"down", "enter"}},
	} {
		for size, inner := range sizes {
			t.Run(tc.name+" at "+size, func(t *testing.T) {
				s := tc.state(t)
				p := queryPaneWith(queryTheme(termenv.Ascii), s, s.Queries[0].Query, inner[0], inner[1])
				p.SetFocus(true)
				queryKeys(p, tc.keys...)
				view := p.View()
				queryEveryCell(t, view, inner[0], inner[1])
				golden.RequireEqual(t, frame(p.theme, paneQuery, "Query", "", p.Foot(), view, inner[0]+2, inner[1]+2, true))
			})
		}
	}
}

// TestRankingWalk goes down all places of a long ranking and up again: each has
// its row in sight, marked, and opens.
func TestRankingWalk(t *testing.T) {
	const line = "update zone"
	s := queryPinned(querySearch(zones(t, 70), line), "mcp_sky_zone_066")
	for _, size := range [][2]int{{106, 14}, {74, 9}, {78, 19}, {50, 5}, {40, 30}} {
		p := queryPaneWith(queryTheme(termenv.Ascii), s, line, size[0], size[1])
		r, _ := p.result()
		if len(r.Hits) != 5 || len(r.Below) != maxBelow || r.Total != 70 {
			t.Fatalf("%d hits and %d below of %d", len(r.Hits), len(r.Below), r.Total)
		}
		check := func(place int) {
			t.Helper()
			name, ok := p.Selected()
			want := "mcp_sky_zone_066"
			if h, found := hitAt(r, place); found {
				want = h.Name
			}
			row := ""
			for l := range strings.SplitSeq(p.View(), "\n") {
				if strings.HasPrefix(l, "› ") {
					row += l
				}
			}
			if !ok || name != want || strings.Count(row, "› ") != 1 || !strings.Contains(row, want) {
				t.Fatalf("%v: at place %d: %q, %v, want %q, in the row %q of\n%s", size, place, name, ok, want, row, p.View())
			}
		}
		for place := range places(r) + 1 {
			check(place)
			queryKeys(p, "down")
		}
		for place := places(r); place >= 0; place-- {
			check(place)
			queryKeys(p, "up")
		}
		queryKeys(p, "down", "down", "down", "down", "down", "down", "down", "enter")
		if p.detail.name != r.Below[1].Name || !strings.Contains(p.View(), "rank 7 of 70, below") {
			t.Errorf("%v: enter opened %q:\n%s", size, p.detail.name, p.View())
		}
	}
}

// TestExpectedStaysInSight has the row of a tool below the limit once, whatever
// is in view: in the ranking, or at the end of the pane.
func TestExpectedStaysInSight(t *testing.T) {
	const line = "update zone"
	for _, tool := range []string{"mcp_sky_zone_005", "mcp_sky_zone_019", "mcp_sky_zone_054", "mcp_sky_zone_055", "mcp_sky_zone_069"} {
		s := queryPinned(querySearch(zones(t, 70), line), tool)
		for _, size := range [][2]int{{106, 14}, {74, 9}, {78, 19}, {74, 60}} {
			p := queryPaneWith(queryTheme(termenv.Ascii), s, line, size[0], size[1])
			for _, key := range append(slices.Repeat([]string{"down"}, 58), "g", "G", "pgup", "pgup", "pgup") {
				view := p.View()
				queryEveryCell(t, view, size[0], size[1])
				if n := strings.Count(view, "◆"+tool); n != 1 {
					t.Fatalf("%s, %v, row %d: it has %d rows in\n%s", tool, size, p.cursor, n, view)
				}
				if !strings.Contains(view, "below number 5") {
					t.Fatalf("%s, %v, row %d: no gap in\n%s", tool, size, p.cursor, view)
				}
				queryKeys(p, key)
			}
		}
	}
}

func TestRankingLines(t *testing.T) {
	hits := func(from, n int) (all []engine.Hit) {
		for i := range n {
			all = append(all, engine.Hit{Rank: from + i, Name: fmt.Sprint(from + i)})
		}
		return all
	}
	for _, tc := range []struct {
		r     engine.Result
		lines int
	}{
		{engine.Result{}, 0},
		{engine.Result{Hits: hits(1, 3), Total: 3}, 3},
		{engine.Result{Hits: hits(1, 3), Below: hits(4, 1), Total: 4}, 5},
		{engine.Result{Hits: hits(1, 3), Below: hits(4, 2), Total: 9}, 7},
	} {
		if got := rankLines(tc.r); got != tc.lines {
			t.Errorf("%d lines, want %d", got, tc.lines)
		}
		met := 0
		for line := -1; line <= tc.lines; line++ {
			place, ok := placeOn(tc.r, line)
			if !ok {
				continue
			}
			if h, is := hitAt(tc.r, place); !is || h.Rank != met+1 {
				t.Errorf("line %d has %+v after %d", line, h, met)
			}
			met++
			if at := lineOf(tc.r, place); at != line && place != places(tc.r)-1 {
				t.Errorf("place %d, on line %d, has line %d", place, line, at)
			}
		}
		if met != places(tc.r) {
			t.Errorf("%d places on lines, want %d", met, places(tc.r))
		}
	}
}

func TestRankingClick(t *testing.T) {
	const line = "create issues"
	s := queryPinned(querySnapshot(t, line), "mcp_harbour_list_issues")
	p := queryPaneWith(queryTheme(termenv.Ascii), s, line, 106, 19)
	p.HandleClick(10, queryRow(t, p, "  3 "))
	p.HandleClick(10, queryRow(t, p, "── limit 5 ─"))
	if name, _ := p.Selected(); name != "mcp_tracker_assign_issue" {
		t.Errorf("a click on the limit selected %q", name)
	}
	p.HandleClick(10, queryRow(t, p, "  6◆mcp_harbour_list_issues"))
	if name, _ := p.Selected(); name != "mcp_harbour_list_issues" || p.cursor != 5 {
		t.Errorf("a click below the limit selected %q on row %d", name, p.cursor)
	}
	p.HandleClick(10, queryRow(t, p, "  3 "))
	p.HandleClick(10, queryRow(t, p, "expected:"))
	if p.cursor != 5 {
		t.Errorf("a click on the expected tool leads to row %d", p.cursor)
	}
	p.HandleClick(10, queryRow(t, p, "server "))
	if p.cursor != 5 {
		t.Errorf("a click on what is told of the tool leads to row %d", p.cursor)
	}
	p = queryPaneWith(queryTheme(termenv.Ascii), queryPinned(querySnapshot(t, line), "mcp_post_send_message"), line, 106, 19)
	p.HandleClick(10, queryRow(t, p, "✗ mcp_post_send_message"))
	if name, _ := p.Selected(); name != "mcp_post_send_message" || p.cursor != 6 {
		t.Errorf("a click on the expected tool that is not found selected %q on row %d", name, p.cursor)
	}
}

func TestGapWords(t *testing.T) {
	hit := func(rank int, score float64) engine.Hit { return engine.Hit{Rank: rank, Score: score} }
	full := engine.Result{Limit: 2, Hits: []engine.Hit{hit(1, 3), hit(2, 1.5)}, Below: []engine.Hit{hit(3, 1.25), hit(4, 1.25)}, Total: 4}
	few := engine.Result{Limit: 5, Hits: []engine.Hit{hit(1, 0.1), hit(2, 0.1)}, Total: 2}
	exact := engine.Result{Limit: 1, Hits: []engine.Hit{{Rank: 1, Exact: true}}, Below: []engine.Hit{hit(2, 2)}, Total: 2}
	level := engine.Result{Limit: 1, Hits: []engine.Hit{hit(1, 2)}, Below: []engine.Hit{hit(2, 2)}, Total: 2}
	for _, tc := range []struct {
		r    engine.Result
		h    engine.Hit
		want string
	}{
		{full, full.Hits[0], "1.500 above number 2, the last within the limit"},
		{full, full.Hits[1], "the last within the limit, 0.250 above number 3"},
		{full, full.Below[0], "0.250 below number 2, the last within the limit"},
		{few, few.Hits[0], "level with number 2, the last that is found: this name comes first"},
		{few, few.Hits[1], "the last that is found"},
		{exact, exact.Hits[0], "the query is its wire name, which puts it first whatever its score"},
		{exact, exact.Below[0], "the exact name has the only place within the limit of 1"},
		{level, level.Below[0], "level with number 1, the last within the limit: that name comes first"},
		{level, level.Hits[0], "the last within the limit, level with number 2: this name comes first"},
		{full, engine.Hit{}, ""},
		{engine.Result{}, hit(1, 1), ""},
		{full, hit(5, 1.49999), "1e-05 below number 2, the last within the limit"},
		{full, hit(1, 1.5004), "0.0004 above number 2, the last within the limit"},
	} {
		if got := gapWords(tc.r, tc.h); got != tc.want {
			t.Errorf("number %d: %q, want %q", tc.h.Rank, got, tc.want)
		}
	}
}

// TestExpectedEverywhere has the expected tool's rank, score and gap on screen
// wherever it stands.
func TestExpectedEverywhere(t *testing.T) {
	for tool, want := range map[string][]string{
		"mcp_harbour_create_issue": {"2◆mcp_harbour_create_issue", "1.663", "number 2", "0.643 above number 5", "“create” stands once"},
		"mcp_harbour_close_issue":  {"5◆mcp_harbour_close_issue", "1.020", "number 5", "0.049 above number 6"},
		"mcp_harbour_list_issues":  {"6◆mcp_harbour_list_issues", "0.971", "0.049 below number 5, the last within the limit", "“create” (stem creat) is in 3 of 10 documents", "a tries it"},
		"mcp_post_list_channels":   {"✗ mcp_post_list_channels  not found", "“create”", "“issues”", "a tries it"},
	} {
		const line = "create issues"
		p := queryPaneWith(queryTheme(termenv.Ascii), queryPinned(querySnapshot(t, line), tool), line, 140, 19)
		view := p.View()
		for _, w := range want {
			if !strings.Contains(view, w) {
				t.Errorf("%s: no %q in\n%s", tool, w, view)
			}
		}
	}
}

// TestDetailOfDocument has every stem of a small document, and part of a large
// one.
func TestDetailOfDocument(t *testing.T) {
	p := queryPaneWith(queryTheme(termenv.Ascii), querySnapshot(t, "teams issues"), "teams issues", 106, 40)
	queryKeys(p, "enter")
	if p.detail.name != "mcp_tracker_create_issue" {
		t.Fatalf("opened %q", p.detail.name)
	}
	view := p.View()
	for _, want := range []string{"listing    - mcp_tracker_create_issue: Create an issue for a team.", "13 tokens, 10 stems; the mean of all is 13.2", "●team×2  ●issu×2  tracker×1  creat×2"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	var words []string
	for i := range 200 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	servers := map[string][]json.RawMessage{"sky": {queryTool("wordy", strings.Join(words, " ")+" end", nil)}}
	s := querySearch(Snapshot{Assembly: queryAssembly(t, func(c *engine.Config) { c.Listing = engine.Off }, servers, "sky")}, "end")
	p = queryPaneWith(queryTheme(termenv.Ascii), s, "end", 106, 40)
	queryKeys(p, "enter")
	view = p.View()
	for _, want := range []string{"not listed: there is no listing", "203 tokens, 203 stems", "●end×1", "and 143 more"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
}

// TestDetailListing says of a tool how the model is told of it, in every form.
func TestDetailListing(t *testing.T) {
	const tool = "mcp_harbour_create_release"
	met := map[engine.Mode]bool{}
	for tokens := range 400 {
		a := queryAssembly(t, func(c *engine.Config) { c.ContextLength = 20 * (tokens + 1) }, queryServers(), "harbour", "tracker", "post")
		_, mode := a.ListingLine(tool)
		if met[mode] {
			continue
		}
		met[mode] = true
		p := queryPaneWith(queryTheme(termenv.Ascii), querySearch(Snapshot{Assembly: a}, "release notes"), "release notes", 106, 40)
		queryKeys(p, "enter")
		want := map[engine.Mode]string{
			engine.ModeFull:    "listing    - mcp_harbour_create_release: Tag a commit and publish release notes.",
			engine.ModeNames:   "listing    mcp_harbour_create_release, in the line of its group's names",
			engine.ModeSummary: "listing    not listed: the line of its group is harbour (5 tools — too many to list; find them by",
			engine.ModeNone:    "listing    not listed: there is no listing",
		}[mode]
		if view := p.View(); want == "" || !strings.Contains(view, want) {
			t.Errorf("%s: no %q in\n%s", mode, want, view)
		}
	}
	if len(met) != 4 {
		t.Errorf("only the forms %v were met", met)
	}
}

// TestQueryShowsTool goes from a hit to the tools browser and on.
func TestQueryShowsTool(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0).press("/", "b", "e", "r", "t", "h", "enter", "enter")
	b.press("t").sees("Tool mcp_harbour_berth_release", "Free a berth.", "schema")
	b.press("esc", "esc").sees("t tools · esc back")
	b.press("esc", "down", "t").sees("Tool mcp_harbour_berth_list")
	b.press("esc", "esc").send(pinMsg{"mcp_weather_sea_state"}).press("G", "t").sees("Tool mcp_weather_sea_state")
}
