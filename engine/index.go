package engine

// Index is the searchable catalog of an assembly's deferred tools: an inverted
// index for BM25. It is read-only once built and safe for concurrent use.
type Index struct {
	// Filled by the index's builder.
}
