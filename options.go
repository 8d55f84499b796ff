package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolscope/engine"
	"toolscope/fixtures"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
	"toolscope/ui/display"
)

// options is the common flags of every command.
type options struct {
	configs       []string
	snapshot      string
	contextLength int
	contextGiven  func() bool
	set           []string
	json          bool
	timeout       time.Duration
	allowPartial  bool
	session       string
	theme         string
	accessible    bool
	keep          bool // the servers go on after they were listed

	in     io.Reader
	getenv func(string) string
}

// register declares the common flags.
func (o *options) register(f *pflag.FlagSet) {
	f.StringArrayVar(&o.configs, "config", nil, "configuration `FILE`: Hermes' YAML, or an mcpServers/servers JSON of another program; may be repeated, later ones add to earlier ones (default: the built-in demo)")
	f.StringVar(&o.snapshot, "snapshot", "", "read the tools from a snapshot `FILE` instead of connecting (.gz too; - is standard input)")
	f.IntVar(&o.contextLength, "context-length", 0, "the model's context in `TOKENS` (0: unknown), over what the configuration says")
	f.StringArrayVar(&o.set, "set", nil, "`KEY=VALUE` of tools.tool_search, or tool_names; may be repeated")
	f.BoolVar(&o.json, "json", false, "print JSON instead of text")
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long a sub-command waits for all servers")
	f.BoolVar(&o.allowPartial, "allow-partial", false, "exit 0 though a server failed")
	f.StringVar(&o.session, "session", "", "the `NAME` of a session of toolscope.sessions (default: all but the disabled toolsets)")
	f.StringVar(&o.theme, "theme", "auto", "colours of the workbench: auto, dark, light, none; auto asks the terminal for its background")
	o.contextGiven = func() bool { return f.Changed("context-length") }
}

// load reads the configuration and lays the flags over it.
func (o *options) load() (config.Config, error) {
	self, err := os.Executable()
	if err != nil {
		return config.Config{}, fmt.Errorf("finding this program's own path for ${self}: %w", err)
	}
	home, _ := os.UserHomeDir()
	work, _ := os.Getwd()
	opts := config.Options{Self: self, LookupEnv: os.LookupEnv, Home: home, WorkspaceFolder: work}
	cfg, err := o.parse(opts)
	if err != nil {
		return config.Config{}, err
	}
	if cfg.Core == nil {
		core, err := sampleCore()
		if err != nil {
			return config.Config{}, err
		}
		cfg.Core = core
	}
	return o.overlay(cfg)
}

// parse reads the files of --config and joins them; the built-in configuration
// where there are none.
func (o *options) parse(opts config.Options) (config.Config, error) {
	if len(o.configs) == 0 {
		return config.Parse("built-in", builtIn, opts)
	}
	var all []config.Config
	for _, path := range o.configs {
		if path == "" {
			return config.Config{}, errors.New("--config is empty: give the path of a configuration, or leave it out for the built-in demo")
		}
		cfg, err := config.Load(path, opts)
		if err != nil {
			return config.Config{}, err
		}
		all = append(all, cfg)
	}
	return config.Merge(all...), nil
}

// own returns the path of the person's own Hermes configuration, "" where there
// is none.
func (o *options) own() string {
	home := o.getenv("HERMES_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		home = filepath.Join(user, ".hermes")
	}
	path := filepath.Join(home, "config.yaml")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// overlay puts --set and --context-length over a configuration.
func (o *options) overlay(cfg config.Config) (config.Config, error) {
	var given []string
	for _, s := range o.set {
		key, value, ok := strings.Cut(s, "=")
		key = strings.TrimSpace(key)
		switch {
		case !ok:
			return cfg, fmt.Errorf("--set %s: KEY=VALUE is needed", s)
		case key == "tool_names":
			style := engine.NameStyle(strings.TrimSpace(value))
			if style != engine.NamesSingle && style != engine.NamesDouble {
				return cfg, fmt.Errorf("--set %s: tool_names is single or double", s)
			}
			cfg.Engine.ToolNames = style
		default:
			block, err := engine.SetToolSearch(cfg.ToolSearchRaw, key, value)
			if err != nil {
				return cfg, fmt.Errorf("--set %s: %w (or tool_names)", s, err)
			}
			cfg.ToolSearchRaw = block
			given = append(given, key)
		}
	}
	if len(given) > 0 {
		var repaired []engine.Warning
		cfg.Engine.ToolSearch, repaired = engine.ParseToolSearch(cfg.ToolSearchRaw)
		cfg.Warnings = refresh(cfg.Warnings, given, repaired)
	}
	if o.contextGiven() {
		if o.contextLength < 0 {
			return cfg, fmt.Errorf("--context-length %d: a number of tokens is needed, 0 where it is unknown", o.contextLength)
		}
		cfg.Engine.ContextLength = o.contextLength
	}
	return cfg, nil
}

// refresh drops the warnings about keys that --set has given a new value, and
// adds those about keys that had none before.
func refresh(warnings []engine.Warning, given []string, repaired []engine.Warning) []engine.Warning {
	const block = "tools.tool_search."
	known := map[string]bool{}
	var out []engine.Warning
	for _, w := range warnings {
		if key, ok := strings.CutPrefix(w.Key, block); ok {
			if slices.Contains(given, key) {
				continue
			}
			known[key] = true
		}
		out = append(out, w)
	}
	for _, w := range repaired {
		if !known[w.Key] {
			w.Key = block + w.Key
			out = append(out, w)
		}
	}
	return out
}

// sampleCore is the built-in sample of Hermes' own tools, used where the
// configuration names no core tools.
func sampleCore() ([]engine.Tool, error) {
	catalog, _, err := engine.ReadCatalog(append(append([]byte(`{"core":`), fixtures.CoreTools()...), '}'))
	if err != nil {
		return nil, fmt.Errorf("the built-in core tools: %w", err)
	}
	return catalog.Core, nil
}

func (o *options) connOptions() mcpconn.Options {
	home, err := os.UserHomeDir()
	opts := mcpconn.Options{ClientVersion: version()}
	if err == nil {
		opts.Logins = state.NewLogins(state.Dir(o.getenv, home))
	}
	return opts
}

// screens keep how the workbench was left; nowhere, where there is no home.
func (o *options) screens() state.Screens {
	home, err := os.UserHomeDir()
	if err != nil {
		return state.Screens{}
	}
	return state.NewScreens(state.Dir(o.getenv, home))
}

// liveOptions are those of a screen, where a server may come back.
func (o *options) liveOptions() mcpconn.Options {
	opts := o.connOptions()
	opts.Backoff = []time.Duration{2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute}
	return opts
}

// world is everything that a sub-command works on.
type world struct {
	config   config.Config
	catalog  engine.Catalog
	scope    engine.Scope
	absent   []engine.AbsentTools
	warnings []engine.Warning
	failed   []mcpconn.ServerStatus
	hub      *mcpconn.Hub // still open, where that was asked for
}

// close ends the servers that are still running.
func (w world) close() {
	if w.hub != nil {
		w.hub.Close()
	}
}

// world loads the configuration and gets the tools: from the snapshot, or from
// the servers themselves.
func (o *options) world(ctx context.Context) (world, error) {
	cfg, err := o.load()
	if err != nil {
		return world{}, err
	}
	scope, err := o.scope(cfg)
	if err != nil {
		return world{}, err
	}
	w := world{config: cfg, scope: scope, warnings: cfg.Warnings}
	if o.snapshot != "" {
		catalog, warnings, err := o.readSnapshot()
		if err != nil {
			return world{}, err
		}
		w.catalog = catalog
		w.warnings = append(w.warnings, warnings...)
		w.warnings = append(w.warnings, display.HiddenText(catalog)...)
		return w, nil
	}
	if o.timeout <= 0 {
		return world{}, fmt.Errorf("--timeout %s: more than nothing is needed, such as 30s", o.timeout)
	}
	hub := mcpconn.Open(cfg.Servers, o.connOptions())
	if o.keep {
		w.hub = hub
	} else {
		defer hub.Close()
	}
	limit, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	roster, err := mcpconn.Settle(limit, hub, mcpconn.NewRoster(cfg))
	if err != nil && ctx.Err() != nil {
		w.close()
		return world{}, exitError{exitNo, err} // interrupted
	}
	w.catalog, w.absent = roster.Catalog(), roster.Absent()
	w.warnings = append(w.warnings, roster.Warnings()...)
	w.warnings = append(w.warnings, display.HiddenText(w.catalog)...)
	w.failed = append(roster.Failed(), late(roster, o.timeout)...)
	return w, nil
}

// late are the servers that had not answered when the time was up, as failed.
func late(roster mcpconn.Roster, after time.Duration) []mcpconn.ServerStatus {
	var all []mcpconn.ServerStatus
	for _, s := range roster.Servers() {
		if s.State != mcpconn.StateConnecting {
			continue
		}
		s.Reason = fmt.Sprintf("no answer within %s (--timeout)", after)
		if s.Progress != "" {
			s.Reason += ", it was still at: " + s.Progress
		}
		all = append(all, s)
	}
	return all
}

// assemble runs the engine over the world.
func (w world) assemble() engine.Assembly {
	return engine.Assemble(w.session(), w.config.Engine)
}

func (w world) session() engine.Session {
	return engine.Session{Catalog: w.catalog, Scope: w.scope}
}

// scope is what the session of --session sees.
func (o *options) scope(cfg config.Config) (engine.Scope, error) {
	if o.session == "" || o.session == "default" {
		return engine.Scope{Disabled: cfg.DisabledToolsets}, nil
	}
	names := []string{"default"}
	for _, s := range cfg.Sessions {
		if s.Name == o.session {
			return s.Scope, nil
		}
		names = append(names, s.Name)
	}
	return engine.Scope{}, fmt.Errorf("--session %s: no such session; there are %s", o.session, strings.Join(names, ", "))
}

// partial reports the servers that failed, on standard error, and is the "no"
// that they mean unless --allow-partial was given.
func (o *options) partial(cmd *cobra.Command, w world) error {
	for _, s := range w.failed {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolscope: server %s failed: %s\n", display.Text(s.Name), display.Text(s.Reason))
	}
	if len(w.failed) == 0 || o.allowPartial {
		return nil
	}
	return no("%d of %d servers failed; their tools are missing above (--allow-partial accepts that)", len(w.failed), len(w.config.Servers))
}

// maxSnapshot bounds a snapshot once unpacked, in bytes.
const maxSnapshot = 512 << 20

// readSnapshot reads the file of --snapshot: plain or gzip, told by its first
// bytes; "-" is standard input.
func (o *options) readSnapshot() (engine.Catalog, []engine.Warning, error) {
	data, err := readBounded(o.snapshot, o.in)
	if err != nil {
		return engine.Catalog{}, nil, fmt.Errorf("--snapshot %s: %w", o.snapshot, err)
	}
	catalog, warnings, err := engine.ReadCatalog(data)
	if err != nil {
		return engine.Catalog{}, nil, fmt.Errorf("--snapshot %s: %w", o.snapshot, err)
	}
	return catalog, warnings, nil
}

func readBounded(path string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, errors.Unwrap(err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxSnapshot+1))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		zip, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("unpacking gzip: %w", err)
		}
		if data, err = io.ReadAll(io.LimitReader(zip, maxSnapshot+1)); err != nil {
			return nil, fmt.Errorf("unpacking gzip: %w", err)
		}
	}
	if len(data) > maxSnapshot {
		return nil, fmt.Errorf("over %d MB; a snapshot holds tool definitions only", maxSnapshot>>20)
	}
	return data, nil
}
