package engine

import (
	"fmt"
	"testing"
)

var benchSizes = []int{330, 3300, 33000, 100000}

func benchCatalog(n int) Catalog { return newGenerator(1).catalog(n, 10+n/300) }

func BenchmarkAssemble(b *testing.B) {
	for _, n := range benchSizes {
		c := benchCatalog(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				assembleDefault(b, c)
			}
		})
	}
	b.Run("giant", func(b *testing.B) {
		c := readGolden(b, "giant").catalog
		b.ReportAllocs()
		for b.Loop() {
			assembleDefault(b, c)
		}
	})
}

func BenchmarkReadCatalog(b *testing.B) {
	data := benchCatalog(3300).Encode()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := ReadCatalog(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	queries := map[string]string{"rare": "certificate firewall xiyoness", "common": "list the issue", "fallback": "qqq zzz", "name": "mcp_list_0_list_1"}
	for _, n := range benchSizes {
		a := assembleDefault(b, benchCatalog(n))
		for name, query := range queries {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a.Search(query, 0)
				}
			})
		}
	}
	a := assembleDefault(b, readGolden(b, "giant").catalog)
	b.Run("giant", func(b *testing.B) {
		for b.Loop() {
			a.Search("list dns records", 0)
		}
	})
}

// BenchmarkScan is the same formula without an index, document by document: the
// straight way that the index is measured against, and checked against in the
// tests.
func BenchmarkScan(b *testing.B) {
	for _, n := range benchSizes {
		a := assembleDefault(b, benchCatalog(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				scan(a.Deferred, "list the issue")
			}
		})
	}
}

func BenchmarkTenQueries(b *testing.B) {
	g := newGenerator(9)
	queries := make([]string, MaxQueries)
	for i := range queries {
		queries[i] = g.phrase(3, " ")
	}
	for _, n := range benchSizes {
		a := assembleDefault(b, benchCatalog(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				a.SearchAnswer(queries, 0)
			}
		})
	}
}

func BenchmarkWhy(b *testing.B) {
	for _, n := range benchSizes {
		c := benchCatalog(n)
		a := assembleDefault(b, c)
		tool := a.Deferred[n/3].Name
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				a.Why("list the issue", tool, 0, Session{Catalog: c}, nil)
			}
		})
	}
}

func BenchmarkSweep(b *testing.B) {
	for _, n := range benchSizes {
		a := assembleDefault(b, benchCatalog(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				a.Thresholds()
				for _, g := range a.Groups {
					a.NeedToList(g.Label)
				}
			}
		})
	}
}

func BenchmarkRetune(b *testing.B) {
	for _, n := range benchSizes {
		a := assembleDefault(b, benchCatalog(n))
		config := a.Config
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				config.ListingMaxTokens = 200 + i%4000
				a.Retune(config)
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	d := assembleDefault(b, benchCatalog(330)).Deferred[7]
	arguments := d.Tool.SampleArguments()
	for b.Loop() {
		d.Tool.Validate(arguments)
	}
}
