package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"toolscope/ui"
)

func newTour(o *options) *cobra.Command {
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "tour",
		Short: "Open the workbench with a guided tour of the tiers",
		Long: `Open the workbench and play the tiers step by step, with a caption to each step:
no servers, everything listed, names only, a giant that arrives, servers as lines,
nothing listed; a query that works, one that misses and why, a part of a name;
and a call that asks for approval. What is shown is real: the tour changes the
settings, the session and the servers as keys would, and puts all of it back at
the end.

space goes on, ← goes back, esc ends the tour; every other key works as ever.
On a configuration of your own it starts no server, and leaves out what needs one
of the demo's.`,
		Example: "  toolscope tour\n  toolscope tour --every 20s",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 0 {
				return fmt.Errorf("--every %s: a time such as 20s is needed, or 0 to go on by key", every)
			}
			theme, err := ui.ParseTheme(o.theme)
			if err != nil {
				return err
			}
			out, ok := cmd.OutOrStdout().(*os.File)
			if !ok || !isatty.IsTerminal(out.Fd()) {
				return errors.New("the tour needs a screen, and standard output is no terminal")
			}
			return o.screen(cmd, ui.Options{Theme: theme, Out: out, Tour: true, Every: every})
		},
	}
	cmd.Flags().DurationVar(&every, "every", 0, "go on by itself after `TIME` per step, such as 20s (default: by key)")
	return cmd
}
