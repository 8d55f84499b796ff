package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"toolscope/mcpconn/config"
)

// Bounds of what is kept of a screen.
const (
	MaxHistory = 200 // queries, the most recent ones
	MaxQuery   = 500 // characters of a query; a longer one is not kept

	maxScreenFile = 1 << 20 // bytes; the above takes less, also where JSON escapes all of it
)

// Screen is how the workbench was left: nothing of it is a setting, an argument
// of a call or from a server.
type Screen struct {
	Pane    int      `json:"pane"`              // the one with the focus, from 1; 0 for none
	Zoom    bool     `json:"zoom"`              // it took the whole screen
	History []string `json:"history,omitempty"` // queries typed, the most recent last
}

// Screens keeps how the workbench was left, in a file that only the person can
// read. The zero value keeps nothing.
type Screens struct{ path string }

// NewScreens keeps screens in a state directory.
func NewScreens(dir string) Screens { return Screens{filepath.Join(dir, "screen.json")} }

// Get returns how the workbench was left, zero where that is not known. An
// error says why what is kept is of no use; the screen is zero then, and the
// workbench can begin all the same.
func (s Screens) Get() (Screen, error) {
	if s.path == "" {
		return Screen{}, nil
	}
	f, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Screen{}, nil
	}
	if err != nil {
		return Screen{}, fmt.Errorf("how the workbench was left is unknown: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScreenFile+1))
	if err != nil {
		return Screen{}, fmt.Errorf("how the workbench was left is unknown: %w", err)
	}
	screen, err := parseScreen(data)
	if err != nil {
		return Screen{}, fmt.Errorf("%s is ignored: %w", s.path, err)
	}
	return screen, nil
}

// parseScreen reads what is kept; keys that it does not know are ignored.
func parseScreen(data []byte) (Screen, error) {
	if len(data) > maxScreenFile {
		return Screen{}, fmt.Errorf("it is over %d bytes", maxScreenFile)
	}
	var screen Screen
	if err := json.Unmarshal(data, &screen); err != nil {
		return Screen{}, errors.New("it is not what the workbench writes there")
	}
	return screen.bounded(), nil
}

// bounded returns the screen without what is out of bounds.
func (s Screen) bounded() Screen {
	s.Pane = max(0, s.Pane)
	s.History = slices.DeleteFunc(slices.Clone(s.History), func(q string) bool {
		return q == "" || utf8.RuneCountInString(q) > MaxQuery
	})
	s.History = s.History[max(0, len(s.History)-MaxHistory):]
	return s
}

// Keep keeps how the workbench was left, within the bounds; what the file held
// before goes.
func (s Screens) Keep(screen Screen) error {
	if s.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("how the workbench was left cannot be kept: %w", err)
	}
	data, err := json.MarshalIndent(screen.bounded(), "", "  ")
	if err != nil {
		return fmt.Errorf("how the workbench was left cannot be kept: %w", err)
	}
	if err := config.ReplaceFile(s.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("how the workbench was left cannot be kept: %w", err)
	}
	return nil
}
