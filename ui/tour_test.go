package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
)

// tourBench is a bench of servers as the demo has them, and a timer that the
// test lets go off.
type tourBench struct {
	*bench
	waits []time.Duration // of the tour's timer
	timer []tea.Msg       // what it brings
}

func newTourBench(t *testing.T, width, height int, demo bool, change func(*config.Config)) *tourBench {
	s := newStage(t)
	cfg := config.Config{
		Path: "built-in",
		Servers: []config.Server{
			{Name: "linear", Enabled: true}, {Name: tourIssues, Enabled: true}, {Name: tourChat, Enabled: true, Trust: "untrusted"}, {Name: tourGiant},
		},
		Engine:          engine.Config{ToolSearch: engine.DefaultToolSearch(), ContextLength: 200000},
		Plugins:         []engine.Toolset{{Name: "notes", Tools: s.tools("jot_a_note_down_at_once: Write a note down.", "recall_notes_by_their_words: Find notes.", "merge_notes_into_the_oldest: One of several.", "forget_a_note_for_good: Delete it.", "pin_a_note_to_the_top: Keep it in sight.")}},
		Core:            s.tools("read_file: Read a file.", "run: Run a command."),
		Sessions:        []config.Session{{Name: "subagent", Scope: engine.Scope{Enabled: []string{"mcp-github", "notes"}}}},
		ApprovalTimeout: time.Minute,
	}
	if change != nil {
		change(&cfg)
	}
	b := &tourBench{bench: newBench(t, termenv.Ascii, width, height)}
	m := b.m
	b.m = newModel(setup{
		config: cfg, conns: m.conns, theme: m.theme, work: m.work, clock: m.clock, copy: m.copy, demo: demo,
		tick: func(d time.Duration, make func(time.Time) tea.Msg) tea.Cmd {
			if msg, ok := make(b.now).(tourTickMsg); ok {
				b.waits, b.timer = append(b.waits, d), append(b.timer, msg)
			}
			return nil
		},
	})
	b.send(tea.WindowSizeMsg{Width: width, Height: height})
	return b
}

func (b *tourBench) send(msgs ...tea.Msg) *tourBench { b.tb.Helper(); b.bench.send(msgs...); return b }
func (b *tourBench) press(keys ...string) *tourBench { b.tb.Helper(); b.bench.press(keys...); return b }
func (b *tourBench) sees(want ...string) *tourBench  { b.tb.Helper(); b.bench.sees(want...); return b }
func (b *tourBench) lacks(not ...string) *tourBench  { b.tb.Helper(); b.bench.lacks(not...); return b }

// tools are those of a server of the demo, in small.
func (b *tourBench) tools(server string) []engine.Tool {
	lines := map[string][]string{
		"linear":   {"create_issue: Put an issue into a team's list.", "list_comments: What people said of an issue.", "search_issues: Find issues by words."},
		tourIssues: {"create_issue: Open a new issue in a repository.", "list_issues: Issues of a repository.", "merge_pull_request: Merge a pull request.", "delete_file: Delete a file in one commit.", "list_branches"},
		tourChat:   {"post_message: Post a message to a channel.", "list_channels: Every channel."},
	}[server]
	if server == tourGiant {
		for i := range 900 {
			lines = append(lines, fmt.Sprintf("%s_%s_%04d: %s of a zone.", []string{"get", "list", "update"}[i%3], []string{"file", "ruleset", "tunnel"}[i/3%3], i, []string{"One entry", "The entries", "Change an entry"}[i%3]))
		}
	}
	tools := newStage(b.tb).tools(lines...)
	if server == tourChat {
		tools = nil
		for _, raw := range []string{
			`{"name":"post_message","description":"Post a message to a channel.","inputSchema":{"type":"object","required":["channel","text"],"properties":{"channel":{"type":"string"},"text":{"type":"string"}}}}`,
			`{"name":"archive_channel","description":"Nobody can post there any more.","inputSchema":{"type":"object"}}`,
			`{"name":"list_members_of_channel","description":"Who is there.","inputSchema":{"type":"object"}}`,
			`{"name":"list_channels","description":"Every channel.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`,
		} {
			tool, _, err := engine.ParseTool([]byte(raw))
			if err != nil {
				b.tb.Fatal(err)
			}
			tools = append(tools, tool)
		}
	}
	return tools
}

func (b *tourBench) answer(servers ...string) *tourBench {
	var all eventsMsg
	for _, s := range servers {
		all = append(all, mcpconn.ServerEvent{Server: s, At: b.now, Kind: mcpconn.EventTools, State: mcpconn.StateReady, Tools: b.tools(s), Info: mcpconn.ServerInfo{Name: s}})
	}
	b.send(all)
	return b
}

func (b *tourBench) town() *tourBench { return b.answer("linear", tourIssues, tourChat) }

// to goes forward to the step of a title, as a presenter does.
func (b *tourBench) to(title string) *tourBench {
	b.tb.Helper()
	if !b.m.touring() {
		b.send(tourMsg{})
	}
	for range 20 {
		if strings.HasPrefix(b.m.step().title, title) {
			return b
		}
		switch b.m.step().waitsFor(b.m) {
		case tourGiant:
			b.answer(tourGiant)
		case "your answer":
			b.press("y")
		}
		b.press(" ")
		if !b.m.touring() {
			break
		}
	}
	b.tb.Fatalf("no step %q comes", title)
	return b
}

// Each step's caption is true when it is shown.
func TestTourIsTrue(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil)
	for _, s := range []string{"linear", tourIssues, tourChat} {
		b.send(eventsMsg{{Server: s, Kind: mcpconn.EventState, State: mcpconn.StateConnecting}})
	}
	b.send(tourMsg{}).sees("TOUR 1/13", "TIER 0", "waits for the servers", "outside this session").press(" ").sees("not yet: the tour waits for the servers")
	b.town().sees("TIER 0", "space goes on")
	is := func(tier int, form engine.Form) {
		t.Helper()
		if a := b.m.snap.Assembly; a.Tier != tier || a.Form != form {
			t.Errorf("%s: tier %d %s", b.m.step().title, a.Tier, a.Form)
		}
	}
	b.to("Tier 1, full")
	is(1, engine.FormFull)
	b.to("Tier 1, names")
	is(1, engine.FormNames)
	b.to("Tier 1, mixed").sees("waits for cloudflare", "a process starts")
	if got := strings.Join(b.asked, ", "); got != "enable cloudflare" {
		t.Errorf("asked %q", got)
	}
	b.press(" ").sees("not yet: the tour waits for cloudflare").answer(tourGiant).sees("becomes one line", "space goes on")
	is(1, engine.FormMixed)
	for _, g := range b.m.snap.Assembly.Groups {
		if summary := g.Mode == engine.ModeSummary; summary != (g.Label == tourGiant) {
			t.Errorf("%s is %s", g.Label, g.Mode)
		}
	}
	b.to("Tier 2, groups")
	is(2, engine.FormGroups)
	b.to("Tier 2, none")
	is(2, engine.FormNone)
	b.to("A query that works").sees("create an issue", "mcp_github_create_issue")
	is(1, engine.FormMixed)
	if r := b.m.rank(tourHit); r < 1 || r > 5 || b.m.pin != "" {
		t.Errorf("it is number %d, and %q is expected", r, b.m.pin)
	}
	b.to("One that misses").sees("file a bug", "expected:", "below the limit of 5")
	if b.m.snap.Pinned[0].Why.Found {
		t.Error("the query that misses finds it")
	}
	b.to("The smallest change").sees("The change is tried", "◆mcp_github_create_issue")
	if !b.m.snap.Pinned[0].Why.Found {
		t.Error("the change does not find it")
	}
	b.to("A part of a name").sees("REATE_ISS", "mcp_linear_create_issue")
	if r := b.m.snap.Queries[0]; !r.Fallback || r.Total != 2 {
		t.Errorf("fallback %v of %d", r.Fallback, r.Total)
	}
	b.to("A bridged call").sees("approval asked", "waits for your answer", "server slack has trust: untrusted").press(" ").sees("not yet: the tour waits for your answer")
	b.to("What the answer does").sees("The call goes on: approved by the person", "SIMULATED")
	b.to("The end").press(" ").sees("the tour is over")
	if b.m.touring() {
		t.Error("it goes on after the end")
	}
}

// stood is what the tour must leave as it was, to compare.
func (b *tourBench) stood() string {
	k := b.m.stands()
	var past []string
	for _, p := range k.undo {
		past = append(past, p.what)
	}
	var calls []int
	for _, c := range b.m.calls {
		calls = append(calls, c.ID)
	}
	k.undo = nil
	return fmt.Sprintf("%+v undo %v calls %v query line %q zoom %v tier %d %s", k, past, calls, b.m.queryPane().field.text(), b.m.zoom, b.m.snap.Assembly.Tier, b.m.snap.Assembly.Form)
}

// own is a workbench in which a person has changed everything the tour changes.
func own(t *testing.T) *tourBench {
	b := newTourBench(t, 160, 48, true, nil).town()
	b.send(setMsg{engine.KeyListing, "on"}, setMsg{engine.KeyListingMaxTokens, "700"}, setMsg{"context", "unknown"}, sessionMsg{}, toggleToolsetMsg{"notes"}, liveMsg{})
	b.send(callMsg{"mcp_github_list_issues"}, putQueryMsg{"branches ; pull"}, pinMsg{"mcp_github_delete_file"}, focusMsg{paneBudget}, zoomMsg{})
	b.m.approved = []string{"mcp_slack_post_message"}
	return b
}

func TestTourPutsEverythingBack(t *testing.T) {
	var titles []string
	for _, s := range tourSteps() {
		titles = append(titles, s.title)
	}
	for _, title := range titles {
		t.Run(title, func(t *testing.T) {
			b := own(t)
			before := b.stood()
			b.to(title)
			if title != titles[0] && b.m.stands().session.Allows("notes") == false {
				t.Error("the toolsets are not in the session")
			}
			// What the person changes by hand goes back too.
			b.send(setMsg{engine.KeyThresholdPct, "3"}, putQueryMsg{"by hand"}, toggleToolsetMsg{"mcp-linear"}, toggleServerMsg{tourChat})
			b.press("esc")
			if after := b.stood(); after != before {
				t.Errorf("before the tour\n%s\nafter it\n%s", before, after)
			}
			on := map[string]string{}
			for _, ask := range b.asked {
				what, server, _ := strings.Cut(ask, " ")
				on[server] = what
			}
			if on[tourGiant] == "enable" || on[tourChat] == "disable" {
				t.Errorf("asked %q", b.asked)
			}
			b.sees("the tour is over")
		})
	}
}

func TestTourGoesBack(t *testing.T) {
	b := own(t)
	b.send(tourMsg{})
	var stood []string
	for {
		switch b.m.step().waitsFor(b.m) {
		case tourGiant:
			b.answer(tourGiant)
		case "your answer":
			b.press("n").sees("denied by the person")
		}
		if strings.HasPrefix(b.m.step().title, "What the answer does") {
			b.sees("Blocked: denied by the person")
		}
		b.view()
		stood = append(stood, b.stood())
		if b.m.step().title == "The end" {
			break
		}
		b.press("right")
	}
	if len(stood) != len(tourSteps()) {
		t.Fatalf("%d steps were played", len(stood))
	}
	for i := len(stood) - 2; i >= 0; i-- {
		b.send(setMsg{"enabled", "off"}, pinMsg{"by hand"}) // to be put back
		b.press("left").sees(fmt.Sprintf("TOUR %d/13", i+1))
		if got := b.stood(); got != stood[i] {
			t.Errorf("step %d was\n%s\nand is\n%s", i+1, stood[i], got)
		}
	}
	b.press("left").sees("this is where the tour begins")
	if got := b.asked[len(b.asked)-1]; got != "disable cloudflare" {
		t.Errorf("asked last: %s", got)
	}
	// The same again: the answer is asked for anew.
	b.to("A bridged call").sees("waits for your answer")
}

// Servers that have not come yet are on all the same, and stay so.
func TestTourBeginsBeforeAnyServerAnswers(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil)
	b.send(tourMsg{}).sees("waits for the servers").answer("linear", tourIssues).sees("waits for the servers")
	b.town().to("Tier 1, full").press("esc")
	if len(b.asked) > 0 {
		t.Errorf("asked %q", b.asked)
	}
	// One that is switched off is not waited for, and comes on again at the end.
	b = newTourBench(t, 160, 48, true, nil)
	b.send(tourMsg{}).answer("linear", tourIssues).sees("waits for the servers").send(switchServerMsg{tourChat, false}).sees("space goes on").press("esc")
	if got := strings.Join(b.asked, ", "); got != "disable slack, enable slack" {
		t.Errorf("asked %q", got)
	}
}

// What was asked of a server holds until the configuration changes its entry.
func TestSwitchesAreRemembered(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil).town()
	b.send(toggleServerMsg{"linear"}, toggleServerMsg{tourChat}, toggleServerMsg{tourGiant})
	servers := []config.Server{{Name: "linear", Enabled: true}, {Name: tourIssues, Enabled: true}, {Name: tourChat, Enabled: true, Trust: "full"}}
	is := func(want map[string]bool) {
		t.Helper()
		for name, on := range want {
			if b.m.on(name) != on {
				t.Errorf("%s is on: %v", name, !on)
			}
		}
	}
	is(map[string]bool{"linear": false, tourIssues: true, tourChat: false, tourGiant: true})
	b.send(loadedMsg{config: config.Config{Servers: servers, Engine: b.m.cfg}})
	is(map[string]bool{"linear": false, tourIssues: true, tourChat: true, tourGiant: false})
	b.send(retryServerMsg{"linear"})
	is(map[string]bool{"linear": true})
}

// rings lets the tour's timer go off.
func (b *tourBench) rings() *tourBench {
	b.tb.Helper()
	if len(b.timer) == 0 {
		b.tb.Fatal("no timer runs")
	}
	msg := b.timer[len(b.timer)-1]
	b.send(msg)
	b.view()
	return b
}

func TestTourOnATimer(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil).town()
	before := b.stood()
	b.send(tourMsg{every: 20 * time.Second}).sees("▶ every 20s")
	var titles []string
	for guard := 0; b.m.touring() && guard < 40; guard++ {
		titles = append(titles, b.m.step().title)
		if b.m.step().waitsFor(b.m) == tourGiant {
			set := len(b.timer)
			b.send(b.timer[set-1]).sees("TOUR 4/13") // the timer before is void
			b.answer(tourGiant)
			if len(b.timer) != set+1 {
				t.Fatal("no timer is set when cloudflare is there")
			}
		}
		if b.m.step().asks {
			b.rings().sees("TOUR 11/13", "✓ done", "SIMULATED")
		}
		b.rings()
		if len(titles) > 20 {
			t.Fatal("it does not end")
		}
	}
	if len(titles) != len(tourSteps()) {
		t.Errorf("it played %q", titles)
	}
	b.send(eventsMsg{{Server: tourGiant, Kind: mcpconn.EventState, State: mcpconn.StateOff}})
	for _, d := range b.waits {
		if d != 20*time.Second {
			t.Errorf("a step stays %s", d)
		}
	}
	if after := b.stood(); after != before {
		t.Errorf("before the tour\n%s\nafter it\n%s", before, after)
	}
	b.send(b.timer[len(b.timer)-1]).lacks("TOUR")
}

func TestTourPauses(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil).town()
	b.send(tourMsg{})
	if len(b.timer) != 0 {
		t.Fatal("a timer runs that nobody asked for")
	}
	b.press("p").sees("the timer goes on every 15s", "▶ every 15s")
	b.press("p").sees("the timer is paused", "p paused").rings().sees("TOUR 1/13")
	b.press("p").rings().sees("TOUR 2/13")
	b.press(" ").sees("TOUR 3/13")
	b.send(b.timer[len(b.timer)-2]).sees("TOUR 3/13") // of the step before
}

// On servers of a person's own nothing is started, and what needs the demo is
// left out and said so.
func TestTourOnOtherServers(t *testing.T) {
	b := newTourBench(t, 160, 48, false, nil).answer("linear", tourChat)
	b.send(eventsMsg{{Server: tourIssues, Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: "no such file"}}, tourMsg{})
	var titles, left []string
	for guard := 0; b.m.touring() && guard < 40; guard++ {
		if b.m.step().waitsFor(b.m) == "your answer" {
			b.press("y")
		}
		titles = append(titles, b.m.step().title)
		if v := b.m.visit(); len(v.left) > 0 {
			b.sees("Left out: " + v.left[0])
			left = append(left, v.left...)
		}
		b.press("pgdown").view()
	}
	if got := strings.Join(titles, " | "); !strings.Contains(got, "Tier 1, full | Tier 1, names | Tier 2, groups") || !strings.HasSuffix(got, "What the answer does | The end") {
		t.Errorf("played %s", got)
	}
	if len(titles)+len(left) != len(tourSteps()) || !strings.Contains(left[0], "the tour starts no server of yours") || !strings.Contains(left[1], "no server github is connected") {
		t.Errorf("left out %q", left)
	}
	if len(b.asked) > 0 {
		t.Errorf("asked %q", b.asked)
	}
}

func TestTourLeavesOut(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*config.Config)
		says   string
	}{
		"trusted": {func(c *config.Config) { c.Servers[2].Trust = "full" }, "slack is trusted"},
		"hooks":   {func(c *config.Config) { c.Hooks = []config.Hook{{Event: config.HookPre, Command: "x"}} }, "hooks of yours would run"},
		"giant":   {func(c *config.Config) { c.Servers = c.Servers[:3] }, "there is no server cloudflare"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTourBench(t, 160, 48, true, tc.change).town().to("The end")
			var left []string
			for _, v := range b.m.tour.visits {
				left = append(left, v.left...)
			}
			if !strings.Contains(strings.Join(left, "; "), tc.says) {
				t.Errorf("left out %q", left)
			}
		})
	}
}

func TestTourGiantFails(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil).town().to("Tier 1, mixed")
	b.send(eventsMsg{{Server: tourGiant, Kind: mcpconn.EventState, State: mcpconn.StateFailed, Reason: "no such file"}})
	b.sees("does not come", "space goes on").to("The end")
}

// The workbench stays in the person's hands meanwhile.
func TestTourLeavesTheOtherKeys(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil).town().to("Tier 1, names")
	b.press("/", "a", " ", "p", "left", "esc").sees("TOUR 3/13")
	if b.m.query != "a p" {
		t.Errorf("the query is %q", b.m.query)
	}
	b.press("?", " ", "esc").sees("TOUR 3/13").press("1", "h").sees("threshold_pct 5 % → 4.9 %")
	b.press("P", "esc").sees("TOUR 3/13", "5 Bridged call")
	r := b.m.layout.caption
	b.send(tea.MouseMsg{X: r.x + 3, Y: r.y + 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}).sees("TOUR 4/13")
	b.answer(tourGiant)
	// The answer is given wherever the focus is.
	b.to("A bridged call").press("2", "n").sees("denied by the person")
	b.press(":", "tour end", "enter").lacks("TOUR").sees("the tour is over")
	b.press(":", "tour step by", "enter").sees("TOUR 1/13").press(":", "tour end", "enter").lacks("TOUR")
}

// Another configuration ends the tour: what it would put back is of the old one.
func TestTourEndsWhenTheConfigurationIsReadAgain(t *testing.T) {
	b := newTourBench(t, 160, 48, true, nil).town().to("Tier 2, none")
	b.send(loadedMsg{config: config.Config{Path: "other.yaml", Servers: []config.Server{{Name: "linear", Enabled: true}}, Engine: engine.Config{ToolSearch: engine.DefaultToolSearch(), ContextLength: 64000}}, path: "other.yaml"})
	b.lacks("TOUR").sees("read other.yaml")
	if b.m.cfg.ThresholdPct != 5 || b.m.cfg.ContextLength != 64000 || b.m.demo {
		t.Errorf("%+v, demo %v", b.m.cfg, b.m.demo)
	}
}

// Every caption fits its lines from 80 columns on, and the frame every screen.
func TestTourFits(t *testing.T) {
	b := newTourBench(t, 80, 24, true, nil).town()
	b.send(tourMsg{})
	for guard := 0; b.m.touring() && guard < 40; guard++ {
		if b.m.step().waitsFor(b.m) == tourGiant {
			b.answer(tourGiant)
		}
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 36}, {140, 40}, {160, 48}, {60, 20}, {40, 15}, {40, 11}, {40, 10}, {39, 9}, {200, 60}} {
			for range 2 {
				b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				if v := ansi.Strip(b.view()); size[0] >= 80 {
					for _, l := range strings.Split(v, "\n")[b.m.layout.caption.y:] {
						if strings.HasSuffix(strings.TrimRight(l, " "), "…") {
							t.Errorf("%s is cut at %v: %q", b.m.step().title, size, l)
						}
					}
				} else if size[1] >= minHeight && !strings.Contains(v, "TOUR") {
					t.Errorf("%v does not show the step:\n%s", size, v)
				}
				b.press("P")
			}
		}
		if b.m.step().waitsFor(b.m) == "your answer" {
			b.press("y")
		}
		b.press(" ")
	}
}

func TestPresenting(t *testing.T) {
	b := newTourBench(t, 120, 36, true, nil).town()
	b.press("4", "P").sees("toolscope", "▸ 4 Query").lacks("1 Tier", "? help")
	b.press("/", "issue", "esc").sees("create_issue").press("1").sees("▸ 1 Tier").press("esc").sees("5 Bridged call", "? help")
	b.press("P", "P").sees("5 Bridged call").press("P", "z").sees("5 Bridged call").press("z", "P", "z").sees("zoomed").press("z")
	b.press("P", "?").sees("Keys").press("esc", "esc").sees("5 Bridged call")
}

func TestTourFrames(t *testing.T) {
	for _, size := range [][2]int{{160, 48}, {120, 36}, {80, 24}} {
		for name, title := range map[string]string{"names": "Tier 1, names", "giant": "Tier 1, mixed", "asked": "A bridged call"} {
			t.Run(fmt.Sprintf("%s at %dx%d", name, size[0], size[1]), func(t *testing.T) {
				golden.RequireEqual(t, []byte(newTourBench(t, size[0], size[1], true, nil).town().to(title).view()))
			})
		}
		t.Run(fmt.Sprintf("presented at %dx%d", size[0], size[1]), func(t *testing.T) {
			b := newTourBench(t, size[0], size[1], true, nil).town().to("One that misses")
			golden.RequireEqual(t, []byte(b.press("P").view()))
		})
	}
}
