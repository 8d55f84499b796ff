package budget

import "math"

// Bill is what the tool definitions cost, in tokens a turn: with every schema
// sent (eager), and with the deferrable tools behind the bridge. Make one with
// [NewBill].
type Bill struct {
	Eager         int // visible and deferred definitions
	WithBridge    int // visible definitions, bridges and listing
	Saving        int // Eager − WithBridge; negative where the bridge costs more than it saves
	ContextLength int // the model's context; 0 or less: unknown
	DescribeMean  int // one tool_describe answer, meaned over the deferred tools
}

// NewBill makes the bill of an assembly from its figures, all in tokens:
// visible definitions without the bridges, deferred definitions, the bridges
// with the listing, and the mean answer of tool_describe. At tier 0 nothing is
// deferred and the bridges cost nothing.
func NewBill(visible, deferred, bridges, describeMean, contextLength int) Bill {
	b := Bill{Eager: visible + deferred, WithBridge: visible + bridges, ContextLength: contextLength, DescribeMean: describeMean}
	b.Saving = b.Eager - b.WithBridge
	return b
}

// Share returns what so many tokens are of the context, in percent, and false
// where the context is unknown. It may be over 100.
func (b Bill) Share(tokens int) (percent float64, known bool) {
	if b.ContextLength <= 0 {
		return 0, false
	}
	return float64(tokens) / float64(b.ContextLength) * 100, true
}

// SavingShare returns the saving in percent of what eager costs; 0 where that
// is nothing.
func (b Bill) SavingShare() float64 {
	if b.Eager <= 0 {
		return 0
	}
	return float64(b.Saving) / float64(b.Eager) * 100
}

// BreakEven returns how many cold calls a turn use up the saving: each call of
// a tool that the model has not used before needs a tool_describe first, so it
// is saving ÷ mean answer. It is false where nothing is saved, or nothing can
// be described. The answer stays in the history, and so is paid for again on
// every later turn; the figure counts the turn of the call alone.
func (b Bill) BreakEven() (calls float64, ok bool) {
	if b.Saving <= 0 || b.DescribeMean <= 0 {
		return 0, false
	}
	return float64(b.Saving) / float64(b.DescribeMean), true
}

// Turns returns after how many turns in which one cold call is made, its answer
// kept in the history from then on, the history costs as much as the saving of
// a turn: the break-even of a whole conversation, rounded up. It is false where
// [Bill.BreakEven] is.
func (b Bill) Turns() (turns int, ok bool) {
	calls, ok := b.BreakEven()
	return int(math.Ceil(calls)), ok
}
