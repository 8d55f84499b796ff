// Toolscope is a terminal workbench for Hermes' Tool Search: it connects to MCP
// servers, runs the engine over their tools and shows why the model sees what
// it sees.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
	"toolscope/ui"
	"toolscope/ui/display"
	"toolscope/ui/noquery"
)

//go:embed config.yaml
var builtIn []byte

// Exit codes.
const (
	exitNo    = 1 // the answer is no, or a server failed
	exitUsage = 2 // bad usage or configuration
)

// exitError is an error that decides the exit code.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

// no is an answer that is "no": exit code 1.
func no(format string, args ...any) error {
	return exitError{exitNo, fmt.Errorf(format, args...)}
}

func main() {
	noquery.Restore()
	// Libraries log to the default logger, which would write into the screen.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	cmd := newRoot(&options{in: in, getenv: os.Getenv})
	cmd.SetArgs(args)
	cmd.SetIn(in)
	written := &output{Writer: out}
	if file, ok := out.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		cmd.SetOut(file) // the screen draws on it
	} else {
		cmd.SetOut(written)
	}
	cmd.SetErr(errOut)
	err := cmd.ExecuteContext(ctx)
	if err == nil && written.err != nil {
		err = exitError{exitNo, fmt.Errorf("writing the output: %w", written.err)}
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(errOut, "toolscope: "+display.Text(err.Error()))
	var exit exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	return exitUsage
}

// output remembers the first error of writing, which those who print need not
// look at.
type output struct {
	io.Writer
	err error
}

// Write writes, and after an error no more.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(p)
	o.err = err
	return n, err
}

// newRoot is the command line: the workbench itself, and the same engine
// without a screen as sub-commands.
func newRoot(o *options) *cobra.Command {
	root := &cobra.Command{
		Use:   "toolscope",
		Short: "A terminal workbench for Tool Search over MCP servers",
		Long: `Toolscope connects to your MCP servers, runs the Tool Search engine over their
tools and shows live which tier it decides on, what each server's listing costs,
what a query finds and why, and how a bridged call runs.

Without a sub-command it opens the full-screen workbench: on the built-in demo
servers, or on your own with --config. With --accessible it is no screen but
lines, for screen readers: a plain sentence for whatever changes, and commands
from standard input, one a line; help lists them. Both may be pipes.`,
		Example: `  toolscope
  toolscope --config ~/.hermes/config.yaml
  toolscope --eval queries.yaml
  toolscope --accessible
  toolscope assemble --set listing_max_tokens=1200
  toolscope search "create an issue" --explain`,
		Version:       version(),
		Args:          noArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	queries := root.Flags().String("eval", "", "a `FILE` of queries and the tools they should find, to watch while you tune (Q; see toolscope eval --help)")
	root.RunE = func(cmd *cobra.Command, _ []string) error { return o.workbench(cmd, *queries) }
	root.SetVersionTemplate("toolscope {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if before, _, ok := strings.Cut(err.Error(), ": strconv."); ok {
			return errors.New(before + ": a whole number is needed")
		}
		return err
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	o.register(root.PersistentFlags())
	root.Flags().BoolVar(&o.accessible, "accessible", false, "the workbench in lines instead of on the full screen, for screen readers: plain sentences, and commands from standard input (help lists them)")
	root.AddCommand(newAssemble(o), newConfig(o), newSearch(o), newEval(o), newDescribe(o), newCall(o), newHooks(o), newSweep(o), newSnapshot(o), newFixture(o), newTour(o), newVersion(o))
	return root
}

// noArgs refuses an argument that is no command, and says what there is.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	hint := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return fmt.Errorf("there is no command %q%s (toolscope --help lists them)", args[0], hint)
}

// workbench opens the screen, or with --accessible the workbench in lines. Where
// standard output is no terminal there is no screen: it says so and prints what
// `assemble` prints, or `eval` where a file of queries is given.
func (o *options) workbench(cmd *cobra.Command, queries string) error {
	theme, err := ui.ParseTheme(o.theme)
	if err != nil {
		return err
	}
	out, ok := cmd.OutOrStdout().(*os.File)
	terminal := ok && isatty.IsTerminal(out.Fd())
	switch {
	case queries == "-":
		return errors.New("--eval -: standard input is the keyboard of the workbench; give a file of queries, or use: toolscope eval -")
	case o.accessible && queries != "":
		return errors.New("--eval is shown on the full screen, not in lines: use toolscope eval " + display.Text(queries))
	case o.accessible && o.snapshot == "-":
		return errors.New("--accessible reads commands from standard input, so the snapshot cannot come from there too")
	case o.accessible || terminal:
	case queries != "":
		fmt.Fprintln(cmd.ErrOrStderr(), "toolscope: standard output is no terminal, so there is no screen; this is what `toolscope eval` prints.")
		return o.eval(cmd, queries, evalFlags{})
	default:
		fmt.Fprintln(cmd.ErrOrStderr(), "toolscope: standard output is no terminal, so there is no screen; this is what `toolscope assemble` prints. `toolscope --accessible` is the workbench in lines, `toolscope --help` lists the sub-commands.")
		return o.assemble(cmd, assembleGate{})
	}
	var cases []engine.Case
	if queries != "" {
		if cases, err = o.readCases(queries); err != nil {
			return err
		}
	}
	return o.screen(cmd, ui.Options{Theme: theme, Out: out, Cases: cases, CasesFile: queries})
}

// screen opens the workbench on a terminal. The theme, the terminal and what to
// begin with are given.
func (o *options) screen(cmd *cobra.Command, screen ui.Options) error {
	cfg, err := o.load()
	if err != nil {
		return err
	}
	var conns interface {
		ui.Connections
		Start()
		Close()
	}
	if o.snapshot != "" {
		catalog, warnings, err := o.readSnapshot()
		if err != nil {
			return err
		}
		replay := mcpconn.NewReplay(catalog, o.connOptions())
		cfg = replay.Config(cfg)
		cfg.Path, cfg.File = "snapshot "+o.snapshot, ""
		cfg.Warnings = append(cfg.Warnings, warnings...)
		conns = replay
	} else {
		conns = mcpconn.Open(cfg.Servers, o.liveOptions())
	}
	defer conns.Close()
	conns.Start()
	screen.Config, screen.Conns, screen.Getenv, screen.Dir, screen.Version = cfg, conns, o.getenv, workDir(), version()
	screen.Demo = o.snapshot == "" && len(o.configs) == 0
	if o.snapshot == "" {
		files := newFiles()
		defer files.close()
		screen.Changed, screen.Reload = files.changed, o.reloader(files)
		screen.Consents = o.consents()
		if len(o.configs) == 0 {
			screen.Offer = o.own()
		} else if err := files.follow(o.configs); err != nil {
			// The screen works without; R reads the files again.
			fmt.Fprintln(cmd.ErrOrStderr(), "toolscope: "+display.Text(err.Error()))
		}
	}
	if o.accessible {
		return o.inLines(cmd, screen)
	}
	if !screen.Tour { // which leads where the person did not go
		o.remember(cmd, &screen)
	}
	return ui.Run(cmd.Context(), screen)
}

// inLines runs the workbench in lines.
func (o *options) inLines(cmd *cobra.Command, screen ui.Options) error {
	// Whoever reads the lines may go; a write that fails ends the workbench and
	// its servers, where the signal would end the workbench alone.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	if err := ui.RunAccessible(cmd.Context(), screen, cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
		return exitError{exitNo, err}
	}
	return nil
}

// remember lets the screen begin as it was left, and keeps how it is left now.
// Neither is worth not to begin.
func (o *options) remember(cmd *cobra.Command, screen *ui.Options) {
	screens := o.screens()
	left, err := screens.Get()
	if err != nil {
		screen.Config.Warnings = append(screen.Config.Warnings, engine.Warning{Message: err.Error()})
	}
	screen.Screen = left
	screen.Left = func(left state.Screen) {
		if err := screens.Keep(left); err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "toolscope: "+display.Text(err.Error()))
		}
	}
}

// reloader reads the configuration again, or another one from now on.
func (o *options) reloader(files *files) func(path string) (config.Config, error) {
	var one sync.Mutex // reads may overlap
	return func(path string) (config.Config, error) {
		one.Lock()
		defer one.Unlock()
		if path != "" {
			before := o.configs
			o.configs = []string{path}
			cfg, err := o.load()
			if err != nil {
				o.configs = before
				return cfg, err
			}
			return cfg, files.follow(o.configs)
		}
		return o.load()
	}
}
