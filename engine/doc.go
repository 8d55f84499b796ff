// Package engine is Hermes' Tool Search layer: it decides which tools a model
// sees, which are deferred behind the three bridge tools, how much of a listing
// of the deferred ones fits the budget, and what a search for them finds.
//
// The package is pure. It takes tools and settings and returns values that
// carry their own explanation: an [Assembly] with its ladder, a [Result] with
// its terms, a [Flow] with its stages. It does no I/O, starts no goroutine,
// reads no clock and keeps no state between calls.
//
// The files follow the order of the engine's specification:
//
//	json.go      JSON text: its canonical form, and reading that
//	tool.go      tool definitions as they came, and their canonical form
//	catalog.go   the tools of servers, plugins and core: the snapshot format
//	names.go     wire names, labels, collisions, order
//	scope.go     which toolsets a session sees
//	config.go    tools.tool_search, its repairs and their warnings
//	assemble.go  tier and form
//	short.go     short descriptions
//	manifest.go  the listing's text
//	ladder.go    which form fits, with its trace
//	thresholds.go  the least budget for each form and collapse
//	sweep.go     the listing under every budget, and the settings that give it
//	next.go      the nearest values of the settings at which it changes
//	bridge.go    the three bridge tools
//	toolsearch.go  tool_search's answer
//	near.go      "did you mean"
//	token.go     documents, tokens, stems
//	document.go  the tokens of one tool, for a person
//	index.go     BM25
//	search.go    one query: exact name, ranking, fallback, explanation
//	eval.go      a set of queries: hit@k, MRR, the reasons of the misses
//	flow.go      a bridged call, stage by stage
//	form.go      a form for the arguments of a call
package engine
