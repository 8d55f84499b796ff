package ui

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolscope/engine"
	"toolscope/mcpconn"
)

// maxTold bounds how many of one kind are told at once.
const maxTold = 10

// opening is what is said first.
func opening(m model) []string {
	servers := 0
	for _, s := range m.snap.Servers {
		if !s.Plugin {
			servers++
		}
	}
	said := []string{fmt.Sprintf("Toolscope in lines, with %s: %s. Type help for the commands.", m.source, plural(servers, "server"))}
	for _, s := range m.snap.Servers {
		if s.Plugin {
			said = append(said, serverSentence(s))
		}
	}
	return slices.Concat(said, warningSentences(m.snap.Warnings), decided(m.snap))
}

// differences is what is said of all that differs between two states of the model,
// save for the servers.
func differences(old, now model) []string {
	said := settingsChanged(old.cfg, now.cfg)
	if text := now.status; now.statusID != old.statusID && text != "" {
		// What a setting was and is, is said already.
		if settings := changedSettings(old.cfg, now.cfg); settings == "" || !strings.HasSuffix(text, settings) {
			said = append(said, stop(text))
		}
	}
	before, after := old.snap, now.snap
	switch {
	case !sameDecision(before.Assembly, after.Assembly):
		said = append(said, decided(after)...)
	case old.cfg != now.cfg:
		said = append(said, fmt.Sprintf("The decision stays: tier %d, %s.", after.Assembly.Tier, tierWord(after.Assembly)))
	}
	if before.Cache.Hash != after.Cache.Hash {
		said = append(said, regrouped(before.Assembly, after.Assembly)...)
		if old.settled {
			said = append(said, cacheSentences(after.Cache)...)
		}
	}
	if !slices.Equal(before.Warnings, after.Warnings) {
		known := map[engine.Warning]bool{}
		for _, w := range before.Warnings {
			known[w] = true
		}
		said = append(said, warningSentences(slices.DeleteFunc(slices.Clone(after.Warnings), func(w engine.Warning) bool { return known[w] }))...)
	}
	for i, r := range after.Queries {
		if i < len(before.Queries) && !sameFinds(before.Queries[i], r) {
			said = append(said, findsSentence(r))
		}
	}
	for i, p := range after.Pinned {
		if i < len(before.Pinned) && before.Pinned[i].Why.Rank != p.Why.Rank {
			said = append(said, placeSentence(p.Why))
		}
	}
	for _, c := range now.calls {
		was := Call{}
		if i := old.at(c.ID); i >= 0 {
			was = old.calls[i]
		}
		said = append(said, callChanged(was, c)...)
	}
	return append(said, sheetSentences(old.sheet, now.sheet)...)
}

// serversChanged is what is said of servers, given what was said of each last,
// and what has been said of each then. That a server begins to connect is no
// news, nor that it fails again for the same reason.
func serversChanged(servers []Server, told map[string]string) (said []string, now map[string]string) {
	now = told
	for _, s := range servers {
		text := serverSentence(s)
		if s.Plugin || s.State == mcpconn.StateConnecting || told[s.Name] == text {
			continue
		}
		if len(said) == 0 {
			now = maps.Clone(told)
		}
		if now == nil {
			now = map[string]string{}
		}
		now[s.Name] = text
		said = append(said, text)
	}
	return said, now
}

// settingsChanged says what each setting that differs was and is.
func settingsChanged(old, now engine.Config) []string {
	if old == now {
		return nil
	}
	var said []string
	was := settings(old)
	for i, s := range settings(now) {
		if s.Text != was[i].Text {
			said = append(said, fmt.Sprintf("%s is %s now, it was %s.", s.Keys[len(s.Keys)-1], s.Text, was[i].Text))
		}
	}
	return said
}

// sameDecision reports whether two assemblies come to the same, in the same
// budget.
func sameDecision(a, b engine.Assembly) bool {
	return a.Tier == b.Tier && a.Form == b.Form && a.OverBudget == b.OverBudget && a.Budget == b.Budget
}

// regrouped says whose tools are one line now, or stand in the listing again,
// where that is not the same for all.
func regrouped(old, now engine.Assembly) []string {
	if now.Form != engine.FormMixed {
		return nil
	}
	was := map[string]engine.Mode{}
	for _, g := range old.Groups {
		was[g.Label] = g.Mode
	}
	var one, listed []string
	for _, g := range now.Groups {
		mode, known := was[g.Label]
		switch summary := g.Mode == engine.ModeSummary; {
		case summary && mode != engine.ModeSummary:
			one = append(one, g.Label)
		case !summary && known && mode == engine.ModeSummary:
			listed = append(listed, g.Label)
		}
	}
	var said []string
	if len(one) > 0 {
		said = append(said, "One line each now: "+joinNames(one, maxTold)+".")
	}
	if len(listed) > 0 {
		said = append(said, "Listed by name again: "+joinNames(listed, maxTold)+".")
	}
	return said
}

// sameFinds reports whether a query finds the same tools in the same order,
// whatever their scores are.
func sameFinds(a, b engine.Result) bool {
	return slices.EqualFunc(a.Hits, b.Hits, func(x, y engine.Hit) bool { return x.Name == y.Name })
}

// callChanged says how a call has come further: the stages that ended, what is
// asked, and its end.
func callChanged(old, now Call) []string {
	f := now.Flow
	var said []string
	if old.ID == 0 {
		said = append(said, callSentence(now))
	}
	for i, s := range f.Stages {
		ran := s.Outcome != engine.OutcomePending && s.Outcome != engine.OutcomeNotReached
		if ran && (i >= len(old.Flow.Stages) || old.Flow.Stages[i].Outcome != s.Outcome) {
			said = append(said, stageSentence(s))
		}
	}
	switch waits := f.Waits(); {
	case now.cancel == nil || old.cancel != nil && old.Flow.Waits() == waits:
	case waits == engine.StageDispatch:
		said = append(said, fmt.Sprintf("Call %d is on its way to server %s.", now.ID, clip(f.Server, nameCells)))
	default:
		said = append(said, fmt.Sprintf("Hooks run for call %d.", now.ID))
	}
	if now.cancel != nil && progressTold(old.Progress, now.Progress) {
		said = append(said, strings.TrimRight(fmt.Sprintf("Call %d has come to %s. %s", now.ID, now.Progress.Share(), clip(now.Progress.Message, 200)), " "))
	}
	if now.waits() && (!old.waits() || old.Flow.Next != f.Next) {
		said = append(said, questionSentences(now)...)
	}
	if now.over() && !old.over() {
		said = append(said, endSentences(now)...)
	}
	return said
}

// progressTold reports whether progress is worth a sentence: a quarter more of
// the whole, or where the whole is not known, another message.
func progressTold(old, now mcpconn.Progress) bool {
	quarter := func(p mcpconn.Progress) int { return int(4 * p.Done / p.Total) }
	switch {
	case now.Total <= 0:
		return now.Message != old.Message
	case old.Total <= 0:
		return true
	}
	return quarter(now) != quarter(old)
}

// sheetSentences are what a sheet asks that was laid over the panes: those that
// a command leads to.
func sheetSentences(old, now sheet) []string {
	if old == now {
		return nil
	}
	switch s := now.(type) {
	case *writeback:
		said := []string{fmt.Sprintf("What would change in %s:", s.edit.Path)}
		for i, l := range strings.Split(strings.TrimRight(s.diff, "\n"), "\n") {
			switch {
			case i < 2: // the names of the two sides, which are one
			case strings.HasPrefix(l, "+"):
				said = append(said, "new: "+l[1:])
			case strings.HasPrefix(l, "-"):
				said = append(said, "old: "+l[1:])
			}
		}
		return append(said, "y writes it, n leaves the file as it is.")
	case *signInView:
		return []string{
			fmt.Sprintf("To sign in at %s, open this address in a browser and agree there:", s.server), s.signIn.URL,
			fmt.Sprintf("The answer is waited for at %s.", s.signIn.Redirect),
		}
	}
	return nil
}

// sameBytes reports whether a stage passed on what it was given.
func sameBytes(s engine.Stage) bool { return bytes.Equal(s.Input, s.Output) }
