package ui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// jsonCells is how much of arguments and results is told without being asked.
const jsonCells = 400

// stop ends a sentence.
func stop(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?:") {
		return text
	}
	return text + "."
}

// clip is [display.Clip], and says that something is cut with a word.
func clip(text string, cells int) string {
	out := display.Clip(text, cells)
	if cut, ok := strings.CutSuffix(out, "…"); ok && !strings.HasSuffix(text, "…") {
		return cut + " (cut)"
	}
	return out
}

// decided is the tier, the form, and what the listing takes.
func decided(s Snapshot) []string {
	a := s.Assembly
	said := fmt.Sprintf("Tier %d, %s: %s.", a.Tier, tierWord(a), situation(s))
	if !a.Activated {
		return []string{said}
	}
	if a.Form == engine.FormNone {
		return []string{said, fmt.Sprintf("The budget of a listing is %s, bound by %s.", plural(a.Budget.Tokens, "token"), a.Budget.BoundBy)}
	}
	return []string{said, fmt.Sprintf("The listing takes %s of a budget of %s, bound by %s.", number(a.Listing.Tokens), number(a.Budget.Tokens), a.Budget.BoundBy)}
}

// tierSentences are the decision with its reasons: the budget's legs, what a
// better and a worse listing take, the settings.
func tierSentences(s Snapshot) []string {
	a := s.Assembly
	c := a.Config
	said := decided(s)
	leg := fmt.Sprintf("threshold_pct of %s percent allows %s of a context of %s", percent(c.ThresholdPct), number(a.Budget.PercentLeg), contextName(c.ContextLength))
	if c.ContextLength <= 0 {
		leg = fmt.Sprintf("the context is unknown, which allows %s", number(budget.UnknownContextLeg))
	}
	said = append(said, fmt.Sprintf("The budget is the lesser of two: listing_max_tokens allows %s, %s.", number(a.Budget.CapLeg), leg))
	better, worse := neighbours(a)
	if better != nil {
		said = append(said, fmt.Sprintf("Better would be %s: it needs %s.", formName(*better), needText(a, a.NeedFor(better.Tokens))))
	}
	if chosen := a.Chosen(); chosen >= 0 {
		below := "there is no listing"
		switch {
		case worse != nil:
			below = "it is " + formName(*worse)
		case c.Listing == engine.On:
			below = "it is over its budget"
		}
		said = append(said, fmt.Sprintf("With less than %s for the listing %s.", plural(a.Ladder[chosen].Tokens, "token"), below))
	}
	var all []string
	for _, set := range settings(c) {
		all = append(all, set.Keys[len(set.Keys)-1]+" "+set.Text)
	}
	return append(said, "Settings: "+strings.Join(all, ", ")+".")
}

// formName is a step of the ladder in words.
func formName(s engine.Threshold) string {
	if s.Collapsed != "" {
		return string(s.Form) + " with " + clip(s.Collapsed, nameCells) + " as one line"
	}
	return string(s.Form)
}

// listingSentences are the first lines of the listing, as the model gets them.
func listingSentences(a engine.Assembly, most int) []string {
	if a.Listing.Text == "" {
		return []string{"There is no listing: " + stop(sentence(a))}
	}
	all := strings.Split(a.Listing.Text, "\n")
	said := []string{fmt.Sprintf("The listing: %s, %s.", plural(len(all), "line"), plural(a.Listing.Tokens, "token"))}
	for _, l := range all[:min(most, len(all))] {
		said = append(said, clip(l, 10*reasonCells))
	}
	if more := len(all) - most; more > 0 {
		said = append(said, fmt.Sprintf("%s more; listing %d tells all.", plural(more, "line"), len(all)))
	}
	return said
}

// serverSentence is a server's state.
func serverSentence(s Server) string {
	name := clip(s.Name, nameCells)
	tools := plural(s.Tools, "tool")
	if s.Filtered > 0 {
		tools += fmt.Sprintf(", %s filtered out", number(s.Filtered))
	}
	switch {
	case s.Plugin:
		return fmt.Sprintf("Plugin %s has %s.", name, tools)
	case s.State == mcpconn.StateReady:
		return fmt.Sprintf("Server %s is connected with %s.", name, tools)
	case s.State == mcpconn.StateFailed:
		return fmt.Sprintf("Server %s failed: %s", name, stop(clip(s.Reason, reasonCells)))
	case s.State == mcpconn.StateConnecting && s.Progress != "":
		return fmt.Sprintf("Server %s is connecting: %s", name, stop(clip(s.Progress, reasonCells)))
	}
	return fmt.Sprintf("Server %s is %s.", name, s.State)
}

// serversSentences are all servers' states, and how their tools are listed.
func serversSentences(s Snapshot) []string {
	var said []string
	for _, server := range s.Servers {
		said = append(said, strings.TrimSpace(serverSentence(server)+" "+groupSentence(s.Assembly, server)))
	}
	if len(said) == 0 {
		return []string{"The configuration has no servers."}
	}
	return said
}

// groupSentence is how a server's tools are listed, and what that takes.
func groupSentence(a engine.Assembly, s Server) string {
	g := s.Group
	need := ""
	if s.CanList {
		need = " By name they need " + stop(needText(a, s.Need))
	}
	switch {
	case !s.InScope:
		return "The session does not see it."
	case g.Tools == 0:
		return ""
	case g.Mode == engine.ModeFull:
		return fmt.Sprintf("Its tools are listed with descriptions: %s.", plural(g.Tokens.Full, "token"))
	case g.Mode == engine.ModeNames:
		return fmt.Sprintf("Its tools are listed by name: %s.", plural(g.Tokens.Names, "token"))
	case g.Mode == engine.ModeSummary:
		return fmt.Sprintf("Its tools are one line of the listing: %s.", plural(g.Tokens.Summary, "token")) + need
	case g.Mode == engine.ModeNone:
		return "Its tools are not listed." + need
	}
	return "Every schema goes to the model."
}

// budgetSentences are what the tools cost of the context.
func budgetSentences(s Snapshot) []string {
	a := s.Assembly
	bill := billOf(a)
	share := func(tokens int) string {
		if percent, known := bill.Share(tokens); known {
			return fmt.Sprintf("%s, %.1f percent of the context", plural(tokens, "token"), percent)
		}
		return plural(tokens, "token")
	}
	said := []string{"With every schema a turn takes " + share(bill.Eager) + "."}
	if a.Tier == 0 {
		return append(said, "There is no bridge: every schema stands in the tools array.")
	}
	core, _ := parts(a)
	said = append(said,
		"With bridge and listing it takes "+share(bill.WithBridge)+".",
		fmt.Sprintf("Of these core tools take %s, the bridge %s, the listing %s. %s are deferred: %s.", number(core), number(max(0, a.BridgeTokens-a.Listing.Tokens)), number(a.Listing.Tokens), plural(len(a.Deferred), "tool"), plural(a.DeferredTokens, "token")))
	if bill.Saving < 0 {
		said = append(said, fmt.Sprintf("The bridge costs %s a turn more than it saves.", plural(-bill.Saving, "token")))
	} else {
		said = append(said, fmt.Sprintf("That saves %s a turn, %.1f percent.", plural(bill.Saving, "token"), bill.SavingShare()))
	}
	if calls, ok := bill.BreakEven(); ok {
		said = append(said, fmt.Sprintf("%s cold calls a turn use that up: the first call of a tool needs a tool_describe of %s on average.", callsText(calls), plural(bill.DescribeMean, "token")))
	}
	return append(said, cacheSentences(s.Cache)...)
}

// cacheSentences are what the last change did to a prompt cache.
func cacheSentences(c Cache) []string {
	if !c.Known || !c.Diff.Changed {
		return nil
	}
	return []string{fmt.Sprintf("Of the tools array a prompt cache keeps %s; %s are read anew.", plural(c.Diff.KeptTokens, "token"), number(c.Diff.LostTokens))}
}

// warningSentences tell warnings, the first ones.
func warningSentences(all []engine.Warning) []string {
	var said []string
	for _, w := range all[:min(maxTold, len(all))] {
		said = append(said, "Warning: "+stop(clip(w.String(), reasonCells)))
	}
	if more := len(all) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("There are %s more.", plural(more, "warning")))
	}
	return said
}

// queriesSentences are what the queries found.
func queriesSentences(s Snapshot) []string {
	var said []string
	for _, r := range s.Queries {
		said = append(said, resultSentences(r)...)
	}
	switch n := len(s.Queries); {
	case n == 0:
		return []string{"Nothing is searched for."}
	case n > engine.MaxQueries:
		said = append(said, fmt.Sprintf("These are %d queries; the model may send %d.", n, engine.MaxQueries))
	}
	if len(s.Assembly.Deferred) == 0 {
		said = append(said, "No tool is behind the bridge, so there is nothing to search.")
	}
	return said
}

// resultSentences are what one query found: the hits with what gave their
// scores, and how common its words are.
func resultSentences(r engine.Result) []string {
	query := clip(r.Query, nameCells)
	head := fmt.Sprintf("Query %s: %s found", query, plural(r.Total, "tool"))
	if r.Total > len(r.Hits) {
		head += fmt.Sprintf(", the first %d", len(r.Hits))
	}
	said := []string{head + "."}
	if r.Fallback && len(r.Hits) > 0 {
		said = append(said, "No word of it is in any tool; these wire names contain it.")
	}
	for _, h := range r.Hits {
		line := fmt.Sprintf("%d. %s", h.Rank, clip(h.Name, nameCells))
		switch {
		case h.Exact:
			line += ", the exact name"
		case r.Fallback:
		default:
			line += fmt.Sprintf(", score %.2f", h.Score)
			if by := shares(r, h); by != "" {
				line += ": " + by
			}
		}
		said = append(said, line+".")
	}
	var words []string
	for _, t := range r.Tokens[:min(maxTold, len(r.Tokens))] {
		words = append(words, fmt.Sprintf("%s in %s", clip(t.Raw, nameCells), plural(t.DF, "tool")))
	}
	if more := len(r.Tokens) - len(words); more > 0 {
		words = append(words, plural(more, "word")+" more")
	}
	if len(words) == 0 {
		return append(said, "It has no word of letters A to Z or digits.")
	}
	return append(said, "Its words: "+strings.Join(words, ", ")+".")
}

// findsSentence is what a query finds now, in brief.
func findsSentence(r engine.Result) string {
	if len(r.Hits) == 0 {
		return fmt.Sprintf("Query %s finds nothing now.", clip(r.Query, nameCells))
	}
	var names []string
	for _, h := range r.Hits {
		names = append(names, h.Name)
	}
	return fmt.Sprintf("Query %s finds %s now, first of all %s.", clip(r.Query, nameCells), plural(r.Total, "tool"), joinNames(names, maxTold))
}

// shares are what each word gave to a score.
func shares(r engine.Result, h engine.Hit) string {
	var by []string
	for i, t := range h.Terms {
		if t.TF > 0 && i < len(r.Tokens) && len(by) < maxTold {
			by = append(by, fmt.Sprintf("%s %.2f", clip(r.Tokens[i].Raw, nameCells), t.Score))
		}
	}
	return strings.Join(by, ", ")
}

// whySentences say why each query finds the expected tool where it does, or
// not, and what would find it.
func whySentences(all []Pinned) []string {
	var said []string
	for _, p := range all {
		w := p.Why
		said = append(said, placeSentence(w))
		for _, r := range w.Reasons[:min(maxTold, len(w.Reasons))] {
			text := stop(clip(r.Message, reasonCells))
			if len(r.Tools) > 1 {
				text += " They are " + joinNames(r.Tools, maxTold) + "."
			}
			said = append(said, text)
		}
		for _, c := range w.Changes[:min(maxTold, len(w.Changes))] {
			said = append(said, fmt.Sprintf("To find it, %s: query %s finds it as number %d.", clip(c.String(), nameCells), clip(c.Query, reasonCells), c.Rank))
		}
	}
	return said
}

// placeSentence is where a query finds the expected tool.
func placeSentence(w engine.Why) string {
	tool, query := clip(w.Tool, nameCells), clip(w.Query, nameCells)
	switch {
	case w.Found:
		return fmt.Sprintf("Query %s finds the expected %s as number %d.", query, tool, w.Rank)
	case w.Rank > 0:
		return fmt.Sprintf("Query %s misses the expected %s: it is number %d, beyond the limit of %d.", query, tool, w.Rank, w.Limit)
	}
	return fmt.Sprintf("Query %s does not find the expected %s.", query, tool)
}

// callSentence is a call before its first stage.
func callSentence(c Call) string {
	kind := "simulated"
	if c.Flow.Runners.Live {
		kind = "live"
	}
	return fmt.Sprintf("Call %d, %s: tool_call %s", c.ID, kind, clip(string(c.Flow.Stages[0].Input), jsonCells))
}

// stageSentence is a stage that has ended.
func stageSentence(s engine.Stage) string {
	text := string(s.Name) + " " + string(s.Outcome)
	if s.Reason != "" {
		text += ": " + clip(s.Reason, reasonCells)
	}
	if s.Outcome == engine.OutcomeChanged && !sameBytes(s) {
		text = stop(text) + " It passes on " + clip(string(s.Output), jsonCells)
	}
	return stop(text)
}

// questionSentences are what the person is asked about a call.
func questionSentences(c Call) []string {
	if len(c.Asked) > 0 {
		said := []string{fmt.Sprintf("Call %d asks whether these commands of yours may run:", c.ID)}
		for _, command := range c.Asked {
			said = append(said, clip(command, 10*reasonCells))
		}
		return append(said, "y: yes, from now on. n: not in this call.")
	}
	f := c.Flow
	from := "a plugin"
	if f.Server != "" {
		from = "server " + clip(f.Server, nameCells)
	}
	said := []string{
		fmt.Sprintf("Approval is asked for %s of %s.", clip(f.Tool, nameCells), from),
		"Because " + stop(clip(demands(f), reasonCells)),
		"Its arguments are " + clip(string(f.Arguments), 10*jsonCells),
	}
	answer := "y: this once. Y: for this session. n: no."
	if c.Left > 0 {
		answer += fmt.Sprintf(" There are %d seconds to answer.", int(math.Ceil(c.Left.Seconds())))
	}
	return append(said, answer)
}

// endSentences are how a call has ended, and what the model is told.
func endSentences(c Call) []string {
	f := c.Flow
	end := "is done"
	switch blocked := blockedAt(f); {
	case blocked >= 0:
		end = "is blocked at " + string(f.Stages[blocked].Name)
	case f.Status == engine.StatusError:
		end = "has failed"
	case simulated(f):
		end = "is done, simulated: no server was called"
	}
	return []string{fmt.Sprintf("Call %d %s.", c.ID, end), "The model is told " + clip(string(f.Result), jsonCells)}
}

// where says how far a call is that does not go on by itself.
func where(c Call) []string {
	f := c.Flow
	switch {
	case c.ID == 0:
		return []string{"There is no call yet: call NAME JSON composes one."}
	case c.waits():
		return questionSentences(c)
	case c.over():
		return endSentences(c)
	case c.cancel != nil:
		return []string{fmt.Sprintf("Call %d is under way at %s; cancel gives it up.", c.ID, f.Waits())}
	}
	return []string{fmt.Sprintf("Call %d is before %s.", c.ID, f.Stages[f.Next].Name)}
}

// switchable are the names of the servers, for a person who gave another one.
func switchable(s Snapshot) string {
	var names []string
	for _, server := range s.Servers {
		if !server.Plugin {
			names = append(names, server.Name)
		}
	}
	slices.Sort(names)
	return joinNames(names, maxTold)
}
