package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

func answerWith(t theme, s Snapshot, keys ...string) *answerSheet {
	v := newAnswerSheet(t)
	v.SetSnapshot(s)
	v.View(78, 21)
	for _, k := range keys {
		v.HandleKey(queryKey(k))
	}
	return v
}

func TestAnswerFrames(t *testing.T) {
	for _, tc := range []struct {
		name, line    string
		width, height int
		keys          []string
	}{
		{"two queries at 160x48", "create issue ; 日本語", 158, 46, nil},
		{"two queries at 120x36", "create issue ; 日本語", 118, 34, []string{"pgdown"}},
		{"two queries at 80x24", "create issue ; 日本語", 78, 21, []string{"G"}},
		{"two queries at 40x10", "create issue ; 日本語", 38, 8, []string{"down"}},
		{"too many queries", strings.Repeat("create ; ", 11), 78, 21, nil},
		{"nothing found", "frobnicate", 78, 21, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := answerWith(queryTheme(termenv.Ascii), querySnapshot(t, tc.line))
			v.View(tc.width, tc.height)
			for _, k := range tc.keys {
				v.HandleKey(queryKey(k))
			}
			view := v.View(tc.width, tc.height)
			queryEveryCell(t, view, min(tc.width, maxAnswerWidth), strings.Count(view, "\n")+1)
			golden.RequireEqual(t, view)
		})
	}
	t.Run("colours", func(t *testing.T) {
		golden.RequireEqual(t, answerWith(queryTheme(termenv.TrueColor), querySnapshot(t, "send")).View(78, 21))
	})
}

// TestAnswerIsTheModels copies what the model would get, to the byte.
func TestAnswerIsTheModels(t *testing.T) {
	for _, line := range []string{"create issue", "create issue ; <&> \u2028 \"quoted\" ; 日本語", strings.Repeat("a ; ", 11), "tab\there"} {
		s := querySnapshot(t, line)
		queries, err := json.Marshal(splitQueries(line))
		if err != nil {
			t.Fatal(err)
		}
		want := s.Assembly.ToolSearch(json.RawMessage(`{"queries":` + string(queries) + `}`))
		msg, done := answerWith(queryTheme(termenv.Ascii), s).HandleKey(queryKey("y"))
		if got, ok := msg.(copyMsg); !ok || done || got.text != string(want) {
			t.Errorf("%q: y gives %v, want %s", line, msg, want)
		}
		if n := len(splitQueries(line)); n <= engine.MaxQueries {
			answer, err := json.Marshal(s.Assembly.SearchAnswer(splitQueries(line), 0))
			if err != nil {
				t.Fatal(err)
			}
			if c, err := engine.Canonical(answer); err != nil || !bytes.Equal(c, want) {
				t.Errorf("%q: the answer's value is %s, %v; the text %s", line, c, err, want)
			}
		} else if !bytes.HasPrefix(want, []byte(`{"error":`)) {
			t.Errorf("%d queries are answered: %s", n, want)
		}
	}
}

// TestAnswerShowsAll has every token of the answer in the lines of the sheet.
func TestAnswerShowsAll(t *testing.T) {
	v := answerWith(queryTheme(termenv.Ascii), querySnapshot(t, "create issue ; list"))
	v.View(100, 20)
	shown := strings.Join(strings.Fields(strings.Join(v.lines, "")), "")
	if want := strings.Join(strings.Fields(string(v.answer)), ""); shown != want {
		t.Errorf("it shows\n%s\nwant\n%s", shown, want)
	}
}

func TestAnswerFollows(t *testing.T) {
	b := newBench(t, termenv.Ascii, 120, 36).answers(0)
	b.press("4", "J").sees("nothing is answered yet").lacks("Answer of tool_search")
	b.press("/", "berth ; gale", "esc", "J").sees("Answer of tool_search", "2 queries", `"mcp_harbour_berth_list"`, "characters", "tokens")
	sheet := b.m.sheet.(*answerSheet)
	first := &sheet.answer[0]
	b.send(eventsMsg{})
	if &sheet.answer[0] != first {
		t.Error("it is made anew where nothing changed")
	}
	b.press("y")
	if want := string(searchAnswer(b.m.snap)); len(b.copied) != 1 || b.copied[0] != want {
		t.Errorf("copied %q, want %q", b.copied, want)
	}
	b.send(queryMsg{"pilot"}).sees("1 query", `"mcp_harbour_pilot_order"`).lacks("mcp_weather_gale_warning\"")
	b.send(setMsg{"enabled", "off"}).sees(`"total_available": 0`)
	b.press("esc").lacks("Answer of tool_search")
	b.press("J", "J").lacks("Answer of tool_search")
}

// TestAnswerBounded lays a huge answer out in part and copies all of it.
func TestAnswerBounded(t *testing.T) {
	servers := map[string][]json.RawMessage{}
	for i := range 60 {
		var required []string
		for j := range 32 {
			required = append(required, fmt.Sprintf("parameter_%02d_%s", j, strings.Repeat("p", 40)))
		}
		servers["sky"] = append(servers["sky"], queryTool(fmt.Sprintf("zone_%02d_%s", i, strings.Repeat("n", 1500)), strings.Repeat("Update a zone. ", 40), required))
	}
	set := func(c *engine.Config) { c.SearchDefaultLimit, c.MaxSearchLimit = 50, 50 }
	s := querySearch(Snapshot{Assembly: queryAssembly(t, set, servers, "sky")}, strings.Repeat("zone ; ", 9)+"update")
	v := answerWith(queryTheme(termenv.Ascii), s, "G")
	if len(v.answer) <= maxAnswer {
		t.Fatalf("the answer has only %d bytes", len(v.answer))
	}
	view := v.View(78, 21)
	queryEveryCell(t, view, 78, 21)
	if !strings.Contains(view, "cut here: "+number(len(v.answer))+" bytes in all, y copies them") {
		t.Errorf("it does not say that it is cut:\n%s", view)
	}
	if msg, _ := v.HandleKey(queryKey("y")); len(msg.(copyMsg).text) != len(v.answer) {
		t.Error("y copies a part")
	}
}

func TestAnswerSizes(t *testing.T) {
	hostile := querySearch(Snapshot{Assembly: queryAssembly(t, nil, queryHostile(), "evil\x1b[2J")}, "create \u202eissue\x1b[31m")
	for _, s := range []Snapshot{{}, querySnapshot(t, "create ; list"), hostile} {
		v := answerWith(queryTheme(termenv.TrueColor), s)
		for _, size := range [][2]int{{0, 0}, {1, 1}, {11, 20}, {12, 4}, {38, 8}, {78, 21}, {158, 46}, {300, 5}} {
			for _, k := range []string{"", "G", "pgup", "down", "g", " "} {
				v.HandleKey(queryKey(k))
				view := v.View(size[0], size[1])
				rows := strings.Split(view, "\n")
				if len(rows) > max(1, size[1]) {
					t.Errorf("%v: %d lines", size, len(rows))
				}
				for _, r := range rows {
					if w := ansi.StringWidth(r); w > size[0] {
						t.Errorf("%v: a line of %d cells", size, w)
					}
				}
				if bad := hostileIn(view); bad != "" {
					t.Errorf("%v: the sheet has %s", size, bad)
				}
			}
		}
	}
}
