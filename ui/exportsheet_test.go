package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"toolscope/ui/export"
)

// exporting is a bench that exports into a folder of its own.
func exporting(t *testing.T, profile termenv.Profile) *bench {
	b := newBench(t, profile, 160, 48).answers(40)
	b.m.dir, b.m.version = t.TempDir(), "1.2.3"
	return b
}

// files are the names of what was exported.
func files(t *testing.T, b *bench) []string {
	t.Helper()
	entries, err := os.ReadDir(b.m.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func written(t *testing.T, b *bench, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.m.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestExportScreen(t *testing.T) {
	b := exporting(t, termenv.TrueColor)
	screen := b.view()
	b.do("x").sees("Export", "a picture (SVG)", "a report of the state", b.m.dir)
	if names := files(t, b); names != nil {
		t.Fatalf("before a choice there are %q", names)
	}
	b.do("s").sees("saved toolscope-20260102-030405.svg and toolscope-20260102-030405.txt in "+b.m.dir, "1 Tier")
	if want := []string{"toolscope-20260102-030405.svg", "toolscope-20260102-030405.txt"}; !slices.Equal(files(t, b), want) {
		t.Fatalf("there are %q, want %q", files(t, b), want)
	}
	// It is the screen as it was before the question.
	if got := written(t, b, "toolscope-20260102-030405.svg"); got != export.SVG(screen, export.Options{Dark: true, Columns: 160}) {
		t.Errorf("the picture is another: %s", got)
	}
	if got := written(t, b, "toolscope-20260102-030405.txt"); got != export.Text(screen)+"\n" {
		t.Errorf("the text is another:\n%s", got)
	}
	// A second export within the second leaves the first alone.
	b.do("x").do("s").sees("saved toolscope-20260102-030405-2.svg")
	if n := len(files(t, b)); n != 4 {
		t.Errorf("there are %d files", n)
	}
}

func TestExportOnALightGround(t *testing.T) {
	b := exporting(t, termenv.TrueColor)
	b.m.theme.dark = false
	b.do("x").do("s")
	if got := written(t, b, "toolscope-20260102-030405.svg"); !strings.Contains(got, `fill="#ffffff"/>`) {
		t.Errorf("the picture is dark: %.400s", got)
	}
}

func TestExportReport(t *testing.T) {
	b := exporting(t, termenv.Ascii).do("x").do("r")
	b.sees("saved toolscope-20260102-030405.md in " + b.m.dir)
	if want := []string{"toolscope-20260102-030405.md"}; !slices.Equal(files(t, b), want) {
		t.Fatalf("there are %q, want %q", files(t, b), want)
	}
	got := written(t, b, "toolscope-20260102-030405.md")
	if want := report(b.m.snap, b.m.about()); got != want || !strings.Contains(got, "toolscope `1.2.3`") {
		t.Errorf("the report is %s\nwant %s", got, want)
	}
	b.do("x").do("y").sees("copied the report (")
	if len(b.copied) != 1 || b.copied[0] != got {
		t.Errorf("copied %q", b.copied)
	}
	if n := len(files(t, b)); n != 1 {
		t.Errorf("copying wrote: there are %d files", n)
	}
}

// Nothing is written while the model updates itself: only what it asks for is.
func TestExportWritesInACommand(t *testing.T) {
	b := exporting(t, termenv.Ascii).press("x", "s", "x", "r")
	if names := files(t, b); names != nil {
		t.Errorf("there are %q", names)
	}
}

func TestExportThatFails(t *testing.T) {
	b := exporting(t, termenv.Ascii)
	b.m.dir = filepath.Join(b.m.dir, "gone")
	b.do("x").do("s").sees("save the screen: ", "no such file").lacks("saved")
	b.do("x").do("r").sees("no such file")

	// The picture could be written and its text could not.
	b.send(exportedMsg{paths: []string{"/tmp/a.svg"}, err: os.ErrPermission}).sees("saved a.svg, and no more: permission denied")
}

func TestExportClosed(t *testing.T) {
	for _, k := range []string{"esc", "x", "q"} {
		b := exporting(t, termenv.Ascii)
		before := b.view()
		b.do("x").do("j").sees("Export").do(k)
		if names := files(t, b); b.view() != before || names != nil || b.m.quitting {
			t.Errorf("%s does not take the question away alone: files %q", k, names)
		}
	}
}

// What lies over the panes is on the screen, so it is exported, and is there
// again afterwards.
func TestExportOfASheet(t *testing.T) {
	for _, open := range []string{"s", "?", "H"} {
		b := exporting(t, termenv.Ascii).press(open)
		screen := b.view()
		below := b.m.sheet
		b.do("x").sees("Export").do("esc")
		if b.m.sheet != below {
			t.Fatalf("%s: it is gone after esc", open)
		}
		b.do("x").do("s").sees("saved")
		if b.m.sheet != below {
			t.Fatalf("%s: it is gone after the export", open)
		}
		got := written(t, b, "toolscope-"+b.now.Format("20060102-150405")+".txt")
		// The line below tells of keys, and is the status now.
		if !strings.HasPrefix(got, export.Text(screen[:strings.LastIndex(screen, "\n")])) {
			t.Errorf("%s: exported\n%s", open, got)
		}
	}
	// Events reach the sheet below the question.
	b := exporting(t, termenv.Ascii).press("s", "x")
	b.answers(3).press("esc").sees("registry")
	if b.m.sheet != b.m.servers {
		t.Error("the servers view is gone")
	}
}

func TestExportKeyWhileTyping(t *testing.T) {
	b := exporting(t, termenv.Ascii).press("/", "x").sees("> x")
	b.press("esc", ":", "x").sees("Commands", "> x").press("esc")
	if b.m.sheet != nil || b.m.query != "x" {
		t.Errorf("x was no text: the query is %q", b.m.query)
	}
	b.press("5", "e", "x")
	if b.m.sheet != nil || !b.m.callPane().Typing() {
		t.Error("x was no text in the call")
	}
}

// x asks wherever the keys go, and with every pane.
func TestExportFromEverywhere(t *testing.T) {
	for _, keys := range [][]string{{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"/", "berth", "esc"}, {"/", "berth", "esc", "down", "enter"}, {"5", "p"}, {"5", "h"}, {"/", "pilot", "esc", "c", "enter"}, {"2", "z"}} {
		b := exporting(t, termenv.Ascii).press(keys...).press("x").sees("a picture (SVG)")
		b.press("esc").lacks("a picture (SVG)")
	}
	b := exporting(t, termenv.Ascii).press(":", "export", "enter").sees("a picture (SVG)")
	b.send(tea.WindowSizeMsg{Width: 20, Height: 5}).do("s")
	if got := written(t, b, "toolscope-"+b.now.Format("20060102-150405")+".txt"); got != "40×10\n" && !strings.Contains(got, "needs 40×10") {
		t.Errorf("a screen that is too small is exported as %q", got)
	}
}

func TestExportByMouse(t *testing.T) {
	b := exporting(t, termenv.Ascii).press("x")
	click := func(x, y int) tea.MouseMsg {
		return tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}
	}
	row := slices.IndexFunc(strings.Split(ansi.Strip(b.view()), "\n"), func(l string) bool { return strings.Contains(l, "copy the report") })
	_, cmd := b.m.Update(click(80, row))
	b.send(runCmd(cmd)...)
	if len(b.copied) != 1 {
		t.Errorf("a click copied %d texts", len(b.copied))
	}
	// A click beside it takes it away, and leaves what is below.
	b = exporting(t, termenv.Ascii).press("s", "x").send(click(1, 2)).lacks("a picture (SVG)")
	if b.m.sheet != b.m.servers {
		t.Error("the servers view is gone")
	}
}

func TestExportSheetFits(t *testing.T) {
	for _, size := range [][2]int{{160, 48}, {80, 24}, {40, 10}} {
		b := exporting(t, termenv.Ascii).send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		b.m.dir = "/" + strings.Repeat("long\x1b[2J/", 40)
		b.press("x").sees("s  the screen", "r  a report", "y  copy")
	}
}
