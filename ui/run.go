package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	osc52 "github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
)

// Options is what the workbench starts from.
type Options struct {
	Config config.Config
	Conns  Connections // already started, or about to be
	Theme  ThemeName
	In     io.Reader // the terminal; nil is standard input
	Out    *os.File  // the terminal the screen is drawn on
	Getenv func(string) string

	// Reload reads the configuration again, or the one of a path from now on;
	// nil where there is no file to read.
	Reload func(path string) (config.Config, error)
	// Changed tells that a file of the configuration has changed; nil if nobody
	// watches.
	Changed <-chan struct{}
	// Consents are the hook commands the person has agreed to.
	Consents state.Consents
	// Dir is the working directory: hooks are told it, and what the person exports
	// is written into it.
	Dir string
	// Version is toolscope's own, for reports.
	Version string
	// Offer is the path of a configuration that the person may want to open; ""
	// if there is none.
	Offer string
	// Demo is set where the configuration is the built-in demo: the tour may then
	// start its servers.
	Demo bool
	// Tour begins with the guided tour; Every is how long each of its steps stays,
	// 0 for as long as no key is pressed.
	Tour  bool
	Every time.Duration
}

// Run draws the workbench until the person quits or ctx ends; both restore the
// terminal. The error is nil for either.
func Run(ctx context.Context, o Options) error {
	r := renderer(o.Out, o.Theme, o.Getenv)
	// Components of the Bubbles library draw with the default renderer.
	lipgloss.SetDefaultRenderer(r)
	outside, cancel := context.WithCancel(ctx)
	work := newWork(outside)
	// Calls and hooks that are under way end with the screen.
	defer work.end()
	defer cancel()
	m := newModel(setup{
		work:   work,
		config: o.Config,
		conns:  o.Conns,
		theme:  newTheme(r),
		clock:  time.Now,
		tick:   tea.Tick,
		reload: o.Reload, changed: o.Changed, offer: o.Offer,
		consents: o.Consents, agreed: o.Consents.All(), dir: o.Dir, version: o.Version,
		demo: o.Demo, tour: o.Tour, every: o.Every,
		copy: func(text string) error {
			_, err := osc52.New(text).WriteTo(o.Out)
			return err
		},
	})
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithAltScreen(), tea.WithMouseCellMotion(),
		tea.WithOutput(o.Out), tea.WithoutSignalHandler(),
	}
	if o.In != nil {
		opts = append(opts, tea.WithInput(o.In))
	}
	_, err := tea.NewProgram(m, opts...).Run()
	if err != nil && !(errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil) {
		return fmt.Errorf("the screen: %w", err)
	}
	return nil
}

// renderer knows the terminal's colours. Only ThemeAuto asks the terminal for
// its background, and only here: a terminal that does not answer costs five
// seconds, which --theme avoids.
func renderer(out *os.File, name ThemeName, getenv func(string) string) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(out)
	if getenv("NO_COLOR") != "" {
		name = ThemeNone
	}
	switch name {
	case ThemeNone:
		r.SetColorProfile(termenv.Ascii)
		r.SetHasDarkBackground(true)
	case ThemeDark:
		r.SetHasDarkBackground(true)
	case ThemeLight:
		r.SetHasDarkBackground(false)
	case ThemeAuto:
		r.HasDarkBackground()
	}
	return r
}
