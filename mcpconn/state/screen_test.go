package state

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScreens(t *testing.T) {
	s := NewScreens(filepath.Join(t.TempDir(), "state"))
	if got, err := s.Get(); err != nil || !reflect.DeepEqual(got, Screen{}) {
		t.Errorf("before any: %+v, %v", got, err)
	}
	left := Screen{Pane: 4, Zoom: true, History: []string{"create issue", "søk ; \x1b[2J \"quoted\""}}
	if err := s.Keep(left); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(); err != nil || !reflect.DeepEqual(got, left) {
		t.Errorf("%+v, %v", got, err)
	}
	info, err := os.Stat(s.path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	var none Screens
	if got, err := none.Get(); err != nil || !reflect.DeepEqual(got, Screen{}) || none.Keep(left) != nil {
		t.Errorf("without a directory: %+v, %v", got, err)
	}
}

// What is kept stays bounded, whatever is given: also queries of control
// characters alone, each of which JSON writes as six.
func TestScreenIsBounded(t *testing.T) {
	s := NewScreens(t.TempDir())
	var history []string
	for range MaxHistory {
		history = append(history, "old", "", strings.Repeat("x", MaxQuery+1), strings.Repeat("\x01", MaxQuery))
	}
	if err := s.Keep(Screen{Pane: -3, History: history}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get()
	if err != nil || got.Pane != 0 || len(got.History) != MaxHistory {
		t.Fatalf("pane %d, %d queries, %v", got.Pane, len(got.History), err)
	}
	if got.History[0] != "old" || got.History[MaxHistory-1] != strings.Repeat("\x01", MaxQuery) {
		t.Errorf("the history is %.20q … %.20q", got.History[0], got.History[MaxHistory-1])
	}
	if len(history) != 4*MaxHistory || history[1] != "" {
		t.Error("the history that was given has changed")
	}
}

func TestBrokenScreen(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want Screen
		warn string
	}{
		"no JSON":         {"{broken", Screen{}, "it is not what the workbench writes there"},
		"empty":           {"", Screen{}, "it is not what the workbench writes there"},
		"another type":    {`{"pane":"four"}`, Screen{}, "it is not what the workbench writes there"},
		"too large":       {`{"history":["` + strings.Repeat("x", maxScreenFile) + `"]}`, Screen{}, "it is over 1048576 bytes"},
		"unknown keys":    {`{"pane":2,"colour":"red"}`, Screen{Pane: 2}, ""},
		"a long history":  {`{"history":[` + strings.Repeat(`"a",`, 5000) + `"b"]}`, Screen{History: append(slicesOf("a", MaxHistory-1), "b")}, ""},
		"a pane of later": {`{"pane":9}`, Screen{Pane: 9}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewScreens(t.TempDir())
			if err := os.WriteFile(s.path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := s.Get()
			if got.Pane != tc.want.Pane || strings.Join(got.History, "\n") != strings.Join(tc.want.History, "\n") {
				t.Errorf("%+v", got)
			}
			if tc.warn == "" && err != nil || tc.warn != "" && (err == nil || !strings.Contains(err.Error(), tc.warn)) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := (Screens{t.TempDir()}).Get(); err == nil {
		t.Error("a folder is read as a file")
	}
}

func slicesOf(s string, n int) []string { return strings.Split(strings.Repeat(s+"\n", n-1)+s, "\n") }

// Whatever the file holds, what is read of it is within the bounds.
func FuzzParseScreen(f *testing.F) {
	for _, seed := range []string{`{"pane":4,"zoom":true,"history":["create issue"]}`, `{"history":["\u0000",""]}`, `{"pane":-1}`, `null`, `[]`, "", "{\"history\":[\"\xff\"]}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		screen, err := parseScreen(data)
		if err != nil {
			return
		}
		if screen.Pane < 0 || len(screen.History) > MaxHistory {
			t.Errorf("%+v", screen)
		}
		for _, q := range screen.History {
			if n := utf8.RuneCountInString(q); n == 0 || n > MaxQuery {
				t.Errorf("a query of %d characters", n)
			}
		}
	})
}
