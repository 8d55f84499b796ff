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
