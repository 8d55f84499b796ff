package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator makes catalogs of varied text, always the same for one seed.
type generator struct {
	*rand.Rand
	words []string // common ones first
}

func newGenerator(seed uint64) generator {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	g.words = strings.Fields(`list create get update delete the a of and to in for with search find issue user
		file repository message channel account record zone worker pull request comment project release organization
		invoice payment customer subscription calendar event meeting document folder permission workflow deployment
		environment variable secret certificate network firewall policy metric alert dashboard query database table column
		generously running organized happily studies flying controlled hopefulness national activities`)
	syllables := strings.Fields("ba co di fu ge hi jo ka lu mi no pe qui ra so tu va we xi yo za ble cra dro ing ed tion ness er ly")
	for len(g.words) < 3000 {
		word := ""
		for range 2 + g.IntN(3) {
			word += syllables[g.IntN(len(syllables))]
		}
		g.words = append(g.words, word)
	}
	return g
}

// word returns a word; some are far more common than others.
func (g generator) word() string {
	x := g.Float64()
	return g.words[int(x*x*x*float64(len(g.words)))]
}

func (g generator) phrase(words int, joint string) string {
	list := make([]string, words)
	for i := range list {
		list[i] = g.word()
	}
	return strings.Join(list, joint)
}

func (g generator) tool(name string) Tool {
	properties := map[string]any{}
	var required []string
	for range g.IntN(6) {
		p := g.phrase(1+g.IntN(2), "_")
		properties[p] = map[string]any{"type": "string", "description": g.phrase(3+g.IntN(8), " ")}
		if g.IntN(2) == 0 {
			required = append(required, p)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	description := g.phrase(g.IntN(24), " ")
	switch g.IntN(6) {
	case 0:
		description += ". " + g.phrase(5, " ") + "!"
	case 1:
		description += " – Größe <&> 日本語 etc. " + g.phrase(4, " ")
	}
	raw, err := json.Marshal(map[string]any{"name": name, "description": description, "inputSchema": schema})
	if err != nil {
		panic(err)
	}
	t, _, err := ParseTool(raw)
	if err != nil {
		panic(err)
	}
	return t
}

// catalog returns so many tools on servers of uneven size.
func (g generator) catalog(tools, servers int) Catalog {
	c := Catalog{Servers: make([]Server, servers), Plugins: []Toolset{{Name: g.word()}}}
	for i := range c.Servers {
		c.Servers[i].Name = fmt.Sprintf("%s-%d", g.word(), i)
	}
	for i := range tools {
		joint := []string{"_", "-", "."}[g.IntN(3)]
		t := g.tool(fmt.Sprintf("%s%s%d", g.phrase(1+g.IntN(3), joint), joint, i))
		if g.IntN(40) == 0 {
			c.Plugins[0].Tools = append(c.Plugins[0].Tools, t)
			continue
		}
		x := g.Float64()
		s := &c.Servers[int(x*x*float64(servers))]
		s.Tools = append(s.Tools, t)
	}
	for _, name := range []string{"terminal", "read_file", "write_file"} {
		c.Core = append(c.Core, g.tool(name))
	}
	return c
}

// config returns settings with any budget.
func (g generator) config() Config {
	c := Config{ToolSearch: DefaultToolSearch(), ContextLength: 1 << (6 + g.IntN(15)), ToolNames: NamesSingle}
	c.ListingMaxTokens = 200 + g.IntN(6000)
	if g.IntN(2) == 0 {
		c.ToolNames = NamesDouble
	}
	if g.IntN(4) == 0 {
		c.Listing = On
	}
	return c
}

func assembleDefault(t testing.TB, c Catalog) Assembly {
	t.Helper()
	return Assemble(Session{Catalog: c}, Config{ToolSearch: DefaultToolSearch(), ContextLength: 200000})
}
