package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn"
)

// firstLines is how many lines of the listing are told without being asked for
// a number.
const firstLines = 20

// command is what a line asks for.
type command struct {
	asks    tea.Msg              // of the model; nil for nothing
	tells   func(model) []string // what is said where nothing changes by it
	instead bool                 // and where something does, instead of that
	waits   bool                 // the next line is read when all that is under way has ended
	starts  string               // the server it switches on
}

// tell is a command that only says something.
func tell(said ...string) command {
	return command{tells: func(model) []string { return said }}
}

// verb is one command of the line mode.
type verb struct {
	name, takes, does string
	read              func(m model, rest string) command
}

// verbs are all commands, in the order of the help.
func verbs() []verb {
	shows := func(tells func(Snapshot) []string) func(model, string) command {
		return func(model, string) command {
			return command{tells: func(m model) []string { return tells(m.snap) }}
		}
	}
	asks := func(msg tea.Msg) func(model, string) command {
		return func(model, string) command { return command{asks: msg} }
	}
	return []verb{
		{"help", "", "this list", func(model, string) command { return tell(helpSentences()...) }},
		{"tier", "", "the decision and its reasons, and the settings", shows(tierSentences)},
		{"listing", "[N]", "the first N lines of the listing, 20 without a number", listingCommand},
		{"servers", "", "each server: its state, and how its tools are listed", shows(serversSentences)},
		{"budget", "", "what the tools cost of the context", shows(budgetSentences)},
		{"warnings", "", "what is not as it was given", shows(func(s Snapshot) []string {
			if len(s.Warnings) == 0 {
				return []string{"There are no warnings."}
			}
			return warningSentences(s.Warnings)
		})},
		{"query", "TEXT", "what the model would find; several queries stand apart by ;", queryCommand},
		{"expect", "TOOL", "expect a tool, and hear why a query finds it or not; without a name, no more", expectCommand},
		{"why", "", "the same again", whyCommand},
		{"set", "KEY VALUE", "a setting, such as: set listing_max_tokens 1200", setCommand},
		{"undo", "", "take the last change of a setting or the session back", asks(undoMsg{})},
		{"on", "SERVER", "switch a server on", switchCommand(true)},
		{"off", "SERVER", "switch a server off", switchCommand(false)},
		{"retry", "SERVER", "connect a failed server now", serverCommand(func(name string) tea.Msg { return retryServerMsg{name} })},
		{"signin", "SERVER", "sign in, where a server asks for it", serverCommand(func(name string) tea.Msg { return signInMsg{name} })},
		{"call", "NAME JSON", "compose a call; without JSON it has what its schema requires", callCommand},
		{"step", "", "run the next stage of the call", flowCommand(flowStepMsg{})},
		{"run", "", "run all that are left", flowCommand(flowRunMsg{})},
		{"y", "", "yes, to what is asked", answerCommand("y")},
		{"n", "", "no, to what is asked", answerCommand("n")},
		{"Y", "", "yes, for this session", answerCommand("Y")},
		{"result", "", "what the model is told of the call, at length", func(model, string) command {
			return command{tells: func(m model) []string {
				if f := m.inView().Flow; len(f.Result) > 0 {
					return []string{clip(string(f.Result), 20*jsonCells)}
				}
				return where(m.inView())
			}}
		}},
		{"cancel", "", "give a call up that is under way", asks(cancelCallMsg{})},
		{"live", "", "dispatch calls to their servers from now on, or simulate them again", asks(liveMsg{})},
		{"session", "", "the next session of the configuration", asks(sessionMsg{})},
		{"write", "", "write the settings into the configuration; what changes is shown first", asks(writeMsg{})},
		{"reload", "", "read the configuration again", asks(reloadMsg{})},
		{"wait", "", "read no more before every server has answered and the call has ended", func(model, string) command { return command{waits: true} }},
		{"quit", "", "end; so does the end of the input", asks(quitMsg{})},
	}
}

// helpSentences are the commands.
func helpSentences() []string {
	said := []string{"Commands, one a line:"}
	for _, v := range verbs() {
		said = append(said, strings.TrimSpace(v.name+" "+v.takes)+": "+v.does+".")
	}
	return said
}

// readCommand reads a line. An empty one asks for nothing.
func readCommand(line lineMsg, m model) command {
	if line.long {
		return tell(fmt.Sprintf("That line has more than %s bytes and is not taken.", number(maxLine)))
	}
	name, rest, _ := strings.Cut(strings.TrimSpace(line.text), " ")
	if name == "" {
		return command{}
	}
	all := verbs()
	at := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if at < 0 {
		at = slices.IndexFunc(all, func(v verb) bool { return v.name == strings.ToLower(name) })
	}
	if at < 0 {
		return tell(fmt.Sprintf("There is no command %s. Type help for those there are.", clip(name, nameCells)))
	}
	rest = strings.TrimSpace(rest)
	if v := all[at]; rest != "" && v.takes == "" {
		return tell(fmt.Sprintf("%s takes nothing behind it.", v.name))
	}
	return all[at].read(m, rest)
}

func listingCommand(m model, rest string) command {
	most := firstLines
	if rest != "" {
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return tell("listing takes a number of lines, such as: listing 40")
		}
		most = n
	}
	return tell(listingSentences(m.snap.Assembly, most)...)
}

func queryCommand(_ model, rest string) command {
	if n := len([]rune(rest)); n > maxQueryChars {
		return tell(fmt.Sprintf("That query has %s characters; %s are taken.", number(n), number(maxQueryChars)))
	}
	return command{
		asks:    queryMsg{rest},
		instead: true,
		tells:   func(m model) []string { return append(queriesSentences(m.snap), whySentences(m.snap.Pinned)...) },
	}
}

func expectCommand(_ model, rest string) command {
	return command{asks: pinMsg{rest}, tells: why, instead: true}
}

func whyCommand(model, string) command { return command{tells: why} }

// why tells of the expected tool.
func why(m model) []string {
	switch {
	case m.pin == "":
		return []string{"No tool is expected: expect TOOL names one."}
	case len(m.snap.Pinned) == 0:
		return []string{fmt.Sprintf("Expecting %s: query TEXT tells where it stands.", clip(m.pin, nameCells))}
	}
	return whySentences(m.snap.Pinned)
}

func setCommand(_ model, rest string) command {
	key, value, ok := strings.Cut(strings.Replace(rest, "=", " ", 1), " ")
	value = strings.TrimSpace(value)
	if !ok || value == "" {
		return tell("set takes a key and a value, such as: set listing_max_tokens 1200")
	}
	return command{asks: setMsg{key, value}, tells: func(model) []string {
		return []string{fmt.Sprintf("%s is so already.", clip(key, nameCells))}
	}}
}

// switchCommand switches a server on or off; one that is so already stays.
func switchCommand(on bool) func(model, string) command {
	return func(m model, name string) command {
		ask := serverCommand(func(name string) tea.Msg { return toggleServerMsg{name} })(m, name)
		if ask.asks == nil {
			return ask
		}
		i := slices.IndexFunc(m.snap.Servers, func(s Server) bool { return s.Name == name && !s.Plugin })
		off := m.snap.Servers[i].State == mcpconn.StateOff
		switch {
		case on && !off:
			return tell(fmt.Sprintf("It is on. %s", serverSentence(m.snap.Servers[i])))
		case !on && off:
			return tell(serverSentence(m.snap.Servers[i]))
		case on:
			ask.starts = name
		}
		return ask
	}
}

// serverCommand is a command about a server that is there.
func serverCommand(ask func(name string) tea.Msg) func(model, string) command {
	return func(m model, name string) command {
		for _, s := range m.snap.Servers {
			if s.Name == name && !s.Plugin {
				return command{asks: ask(name)}
			}
		}
		return tell(fmt.Sprintf("There is no server %s; there are %s.", clip(name, nameCells), switchable(m.snap)))
	}
}

// callCommand composes a call: of a tool with arguments, of a tool as its schema
// requires, or the whole JSON of a tool_call.
func callCommand(_ model, rest string) command {
	if n := len([]rune(rest)); n > maxCallChars {
		return tell(fmt.Sprintf("That call has %s characters; %s are taken.", number(n), number(maxCallChars)))
	}
	name, arguments, _ := strings.Cut(rest, " ")
	arguments = strings.TrimSpace(arguments)
	switch {
	case rest == "":
		return tell(`call takes a tool and its arguments, such as: call mcp_github_create_issue {"title":"x"}`)
	case strings.HasPrefix(rest, "{"):
		return command{asks: callJSONMsg{rest}}
	case arguments == "":
		return command{asks: callMsg{name}}
	}
	return command{asks: callJSONMsg{string(engine.CallJSON(name, json.RawMessage(arguments)))}}
}

// flowCommand runs a call on, where it does not wait for the person.
func flowCommand(msg tea.Msg) func(model, string) command {
	return func(m model, _ string) command {
		if c := m.inView(); c.ID == 0 || c.waits() || c.over() || c.cancel != nil {
			return tell(where(c)...)
		}
		return command{asks: msg, tells: func(m model) []string { return where(m.inView()) }}
	}
}

// answerCommand answers what is asked: whether to write, whether commands of
// hooks may run, whether a call is approved.
func answerCommand(word string) func(model, string) command {
	return func(m model, _ string) command {
		if _, asked := m.sheet.(*writeback); asked && word != "Y" {
			return command{asks: tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(word)}}
		}
		q := m.questioned()
		switch {
		case !q.waits():
			return tell("Nothing is asked.")
		case len(q.Asked) > 0 && word == "Y":
			return tell("y or n is the answer to that.")
		case len(q.Asked) > 0:
			return command{asks: consentMsg{word == "y"}}
		case word == "Y":
			return command{asks: approveSessionMsg{}}
		}
		return command{asks: approveMsg{word == "y"}}
	}
}
