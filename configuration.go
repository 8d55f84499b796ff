package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/mcpconn/config"
	"toolscope/ui/display"
)

func newConfig(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print what was understood of the configuration, and where each value comes from",
		Long: `Print the servers and settings as they are understood, secrets masked, each value
with the file and line it comes from and the variables in it, and every warning.
Nothing is connected.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := o.load()
			if err != nil {
				return err
			}
			report := o.understand(cfg)
			if o.json {
				return printJSON(cmd.OutOrStdout(), report)
			}
			report.print(cmd.OutOrStdout())
			return nil
		},
	}
}

// understood is what `config --json` prints.
type understood struct {
	Path     string           `json:"path"`
	Values   []configValue    `json:"values"`
	Warnings []engine.Warning `json:"warnings"`
}

// configValue is one value in force.
type configValue struct {
	Key   string `json:"key"`
	Value string `json:"value"` // secrets masked
	From  string `json:"from"`  // file:line, a flag, or default
}

func (o *options) understand(cfg config.Config) understood {
	b := reportBuilder{cfg: cfg, redact: config.NewRedactor(cfg.Servers), flags: map[string]string{}}
	for _, s := range o.set {
		key, _, _ := strings.Cut(s, "=")
		key = strings.TrimSpace(key)
		if key != "tool_names" {
			key = "tools.tool_search." + key
		}
		b.flags[key] = "--set"
	}
	if o.contextGiven() {
		b.flags["context_length"] = "--context-length"
	}
	c := cfg.Engine
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	context := "unknown"
	if c.ContextLength > 0 {
		context = strconv.Itoa(c.ContextLength)
	}
	b.add("context_length", context)
	b.add("tool_names", string(c.ToolNames))
	b.add("tools.tool_search.enabled", string(c.Enabled))
	b.add("tools.tool_search.threshold_pct", number(c.ThresholdPct))
	b.add("tools.tool_search.search_default_limit", strconv.Itoa(c.SearchDefaultLimit))
	b.add("tools.tool_search.max_search_limit", strconv.Itoa(c.MaxSearchLimit))
	b.add("tools.tool_search.listing", string(c.Listing))
	b.add("tools.tool_search.listing_max_tokens", strconv.Itoa(c.ListingMaxTokens))
	b.add("approvals.timeout", seconds(cfg.ApprovalTimeout))
	for _, s := range cfg.Servers {
		b.server(s)
	}
	for _, h := range cfg.Hooks {
		b.hook(h)
	}
	return understood{Path: cfg.Path, Values: b.values, Warnings: append([]engine.Warning{}, cfg.Warnings...)}
}

// reportBuilder gathers values with their origins.
type reportBuilder struct {
	cfg    config.Config
	redact config.Redactor
	flags  map[string]string // keys that a flag gave
	values []configValue
}

func (b *reportBuilder) add(key, value string) {
	from := "default"
	if o, ok := b.cfg.Origins[key]; ok {
		from = fmt.Sprintf("%s:%d", o.File, o.Line)
		if len(o.Via) > 0 {
			from += " (" + strings.Join(o.Via, ", ") + ")"
		}
	}
	if flag, ok := b.flags[key]; ok {
		from = flag
	}
	b.values = append(b.values, configValue{key, value, from})
}

// hook adds what is in force of one hook.
func (b *reportBuilder) hook(h config.Hook) {
	from := fmt.Sprintf("%s:%d", h.File, h.Line)
	add := func(key, value string) {
		b.values = append(b.values, configValue{h.Key + "." + key, b.redact.Redact(value), from})
	}
	if h.Matcher != "" {
		add("matcher", h.Matcher)
	}
	add("command", h.Command)
	add("timeout", seconds(h.Timeout))
	if h.FailClosed {
		add("fail_closed", "true")
	}
}

// server adds what is in force of one server: what the configuration says, and
// the defaults that matter.
func (b *reportBuilder) server(s config.Server) {
	at := "mcp_servers." + s.Name + "."
	given := func(key, value string) {
		if value != "" {
			b.add(at+key, b.redact.Redact(value))
		}
	}
	b.add(at+"transport", string(s.Transport))
	given("command", s.Command)
	given("args", strings.Join(s.Args, " "))
	given("cwd", s.Dir)
	given("url", s.URL)
	for _, pairs := range []struct {
		key  string
		from map[string]string
	}{{"env", s.Env}, {"headers", s.Headers}} {
		var names []string
		for name := range pairs.from {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			b.add(at+pairs.key+"."+name, config.Mask)
		}
	}
	b.add(at+"enabled", strconv.FormatBool(s.Enabled))
	b.add(at+"timeout", seconds(s.Timeout))
	b.add(at+"connect_timeout", seconds(s.ConnectTimeout))
	given("trust", s.Trust)
	if s.Parallel {
		b.add(at+"supports_parallel_tool_calls", "true")
	}
	given("tools.include", strings.Join(s.Include, ", "))
	given("tools.exclude", strings.Join(s.Exclude, ", "))
	given("problem", s.Problem)
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

// print writes the report for a person.
func (r understood) print(out io.Writer) {
	fmt.Fprintf(out, "%s\n\n", display.Text(r.Path))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range r.Values {
		fmt.Fprintf(t, "%s\t%s\t%s\n", display.Clip(v.Key, 80), display.Clip(v.Value, 100), display.Clip(v.From, 120))
	}
	t.Flush()
	if len(r.Warnings) > 0 {
		fmt.Fprintln(out, "\nwarnings")
		for _, w := range r.Warnings {
			fmt.Fprintf(out, "  %s\n", display.Text(w.String()))
		}
	}
}
