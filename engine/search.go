package engine

// QueryToken is one token of a query and its weight in the catalog.
type QueryToken struct {
	Raw  string  `json:"raw"`  // as it stands in the query
	Stem string  `json:"stem"` // lower-cased and stemmed
	DF   int     `json:"df"`   // documents that contain the stem
	IDF  float64 `json:"idf"`
}

// TermScore is the part of a hit's score that one query token gave.
type TermScore struct {
	Stem  string  `json:"stem"`
	TF    int     `json:"tf"` // occurrences in the tool's document
	Score float64 `json:"score"`
}

// Hit is one tool that a query found.
type Hit struct {
	Rank  int         // from 1
	Name  string      // the wire name
	Score float64     // 0 where Exact
	Exact bool        // the query is this tool's wire name
	Terms []TermScore // one per query token, in query order; summed in that order they give Score
}

// Result is what one query found, with its explanation.
type Result struct {
	Query    string
	Limit    int
	Tokens   []QueryToken
	Fallback bool  // found by the substring of a wire name
	Total    int   // tools with a score, before the limit
	Hits     []Hit // at most Limit
}
