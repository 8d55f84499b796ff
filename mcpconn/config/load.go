package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/joho/godotenv"

	"toolscope/engine"
)

// Options is what a configuration's text refers to but does not hold.
type Options struct {
	Self            string                      // path of the running binary, for ${self}
	LookupEnv       func(string) (string, bool) // the environment, as os.LookupEnv; nil: none
	Home            string                      // for ${userHome} and a leading ~
	WorkspaceFolder string                      // for ${workspaceFolder}
	Dir             string                      // what relative file names in the file are relative to; Load takes the file's own folder where empty
	DotEnv          []byte                      // text of a .env file; Load reads the one beside the file where nil
}

// Load reads a configuration file and the .env beside it. The error names the
// file, where it applies the line and column, and what to do; it never quotes
// the file's values.
func Load(path string, opts Options) (Config, error) {
	data, err := readFile(path, maxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Config{}, fmt.Errorf("config %s: no such file: check the name given to --config", path)
	case err != nil:
		return Config{}, fmt.Errorf("config %s: cannot be read: %w", path, cause(err))
	}
	if opts.Dir == "" {
		opts.Dir = filepath.Dir(path)
	}
	var trouble string
	if opts.DotEnv == nil {
		beside := filepath.Join(filepath.Dir(path), ".env")
		switch opts.DotEnv, err = readFile(beside, maxFileBytes); {
		case err == nil, errors.Is(err, fs.ErrNotExist):
		default:
			trouble = fmt.Sprintf("%s cannot be read: %v", beside, cause(err))
		}
	}
	cfg, err := Parse(path, data, opts)
	cfg.File, cfg.hasBlock = path, cfg.ToolSearchRaw != nil
	if err == nil && trouble != "" {
		cfg.Warnings = append([]engine.Warning{{Key: ".env", Message: trouble}}, cfg.Warnings...)
	}
	return cfg, err
}

// readFile reads a file whole, but never more than max bytes of it and never
// from something that is no file, such as a pipe that stays silent.
func readFile(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, max+1))
}

// cause drops the operation and path an error repeats.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Parse reads a configuration from its text; name stands for it in messages.
func Parse(name string, data []byte, opts Options) (Config, error) {
	root, places, err := parseYAML(name, relaxed(data))
	if err != nil {
		return Config{}, err
	}
	l := &loader{name: name, opts: opts, via: map[string][]string{}, origins: map[string]Origin{}}
	for _, p := range places {
		l.warn(p.key, p.line, "", "", p.message)
	}
	if !root.absent() && root.kind != kindMap {
		return Config{}, fmt.Errorf("%s:%d: the file is %s where a mapping is due: start with a key such as mcp_servers:", name, max(1, root.line), root.kind)
	}
	for _, key := range []string{"mcp_servers", "mcpServers", "tools", "toolscope"} {
		if n := root.get(key); !n.absent() && n.kind != kindMap {
			return Config{}, fmt.Errorf("%s:%d: %s is %s where a mapping is due: write its keys below it, indented", name, root.lineOf(key), key, n.kind)
		}
	}
	l.readDotEnv()
	cfg := Config{Path: name}
	blocks := l.serverBlocks(root)
	for _, b := range blocks {
		cfg.Servers = append(cfg.Servers, l.servers(b)...)
	}
	l.nothingUnderstood(root, blocks)
	l.inputs(root.get("inputs"))
	cfg.Hooks = l.hooks(root.get("hooks"))
	cfg.ApprovalTimeout = l.approvalTimeout(root.get("approvals"))
	l.engine(root, &cfg)
	l.workbench(root.get("toolscope"), &cfg)
	l.knownToolsets(root.get("toolscope"), cfg)
	cfg.Warnings, cfg.Origins = l.warnings, l.origins
	return cfg, nil
}

// loader reads one file and gathers its warnings.
type loader struct {
	name     string
	opts     Options
	dotenv   map[string]string
	via      map[string][]string // the variables that were filled in, by the key's path
	origins  map[string]Origin
	warnings []engine.Warning
}

// from notes where a value stands.
func (l *loader) from(key string, line int) {
	l.origins[key] = Origin{File: l.name, Line: line, Via: l.via[key]}
}

// warn notes one oddity. given and used must not hold a secret.
func (l *loader) warn(key string, line int, given, used, message string) {
	if line > 0 {
		message = fmt.Sprintf("%s (line %d)", message, line)
	}
	l.warnings = append(l.warnings, engine.Warning{Key: key, Given: given, Used: used, Message: message})
}

func (l *loader) readDotEnv() {
	if len(bytes.TrimSpace(l.opts.DotEnv)) == 0 {
		return
	}
	vars, err := godotenv.UnmarshalBytes(l.opts.DotEnv)
	if err != nil {
		// The error quotes the file, which is full of secrets.
		l.warn(".env", 0, "", "", "the .env beside the configuration is not made of NAME=value lines: none of it is used")
		return
	}
	l.dotenv = vars
}

// approvalTimeout reads approvals.timeout; the other keys of that block are
// about commands, not calls.
func (l *loader) approvalTimeout(block *node) time.Duration {
	const key = "approvals.timeout"
	n := block.get("timeout")
	if n.absent() {
		return DefaultApprovalTimeout
	}
	l.from(key, n.line)
	return l.seconds(n, key, DefaultApprovalTimeout)
}

// engine reads what the engine depends on: tools.tool_search and the context.
func (l *loader) engine(root *node, cfg *Config) {
	block := root.get("tools").get("tool_search")
	if block != nil {
		raw, ok := block.plain()
		if !ok {
			l.warn("tools.tool_search", block.line, "", "", "the block unfolds to too many values: the defaults are used")
		} else {
			cfg.ToolSearchRaw = raw
		}
	}
	if block != nil && block.kind == kindMap {
		for _, p := range block.pairs {
			l.from("tools.tool_search."+p.key, p.line)
		}
	} else if !block.absent() {
		l.from("tools.tool_search.enabled", block.line)
	}
	search, warnings := engine.ParseToolSearch(cfg.ToolSearchRaw)
	cfg.Engine.ToolSearch = search
	for _, w := range warnings {
		line := 0
		if block != nil {
			line = block.line
			if v := block.get(w.Key); v != nil {
				line = block.lineOf(w.Key)
			}
		}
		key := "tools.tool_search"
		if w.Key != "tool_search" { // the block itself
			key += "." + w.Key
		}
		l.warn(key, line, w.Given, w.Used, w.Message)
	}
	cfg.Engine.ContextLength = l.contextLength(root)
	cfg.Engine.ToolNames = l.toolNames(root.get("toolscope"))
}
