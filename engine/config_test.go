package engine

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestParseToolSearch(t *testing.T) {
	with := func(change func(*ToolSearch)) ToolSearch {
		d := DefaultToolSearch()
		change(&d)
		return d
	}
	enabled := func(s Switch) ToolSearch { return with(func(d *ToolSearch) { d.Enabled = s }) }
	listing := func(s Switch) ToolSearch { return with(func(d *ToolSearch) { d.Listing = s }) }
	pct := func(p float64) ToolSearch { return with(func(d *ToolSearch) { d.ThresholdPct = p }) }
	limits := func(search, max int) ToolSearch {
		return with(func(d *ToolSearch) { d.SearchDefaultLimit, d.MaxSearchLimit = search, max })
	}
	cap := func(n int) ToolSearch { return with(func(d *ToolSearch) { d.ListingMaxTokens = n }) }
	type block = map[string]any
	tests := []struct {
		name     string
		raw      any
		want     ToolSearch
		warnings string // "key given → used" of each, joined by "; "
	}{
		{"absent", nil, DefaultToolSearch(), ""},
		{"empty", block{}, DefaultToolSearch(), ""},
		{"true", true, enabled(Auto), ""},
		{"false", false, enabled(Off), ""},
		{"word", " ON ", enabled(On), ""},
		{"word that is an alias", "no", enabled(Off), ""},
		{"one", 1, enabled(On), ""},
		{"zero", uint64(0), enabled(Off), ""},
		{"other number", 7, DefaultToolSearch(), "enabled 7 → auto"},
		{"unknown word", "maybe", DefaultToolSearch(), `enabled "maybe" → auto`},
		{"list", []any{1}, DefaultToolSearch(), "tool_search [1] → the defaults"},
		{"null keys", block{"enabled": nil, "threshold_pct": nil, "max_search_limit": nil, "listing": nil}, DefaultToolSearch(), ""},
		{"enabled true", block{"enabled": true}, enabled(On), ""},
		{"enabled false", block{"enabled": false}, enabled(Off), ""},
		{"enabled Yes", block{"enabled": "Yes"}, enabled(On), ""},
		{"enabled 0", block{"enabled": "0"}, enabled(Off), ""},
		{"enabled 1.0", block{"enabled": 1.0}, enabled(On), ""},
		{"enabled list", block{"enabled": []any{}}, DefaultToolSearch(), "enabled [] → auto"},
		{"listing off", block{"listing": "Off\n"}, listing(Off), ""},
		{"listing false", block{"listing": false}, listing(Off), ""},
		{"listing word", block{"listing": "full"}, DefaultToolSearch(), `listing "full" → auto`},
		{"fraction", block{"threshold_pct": 0.7}, pct(0.7), ""},
		{"numeric string", block{"threshold_pct": " 2.5 "}, pct(2.5), ""},
		{"json number", block{"threshold_pct": json.Number("12")}, pct(12), ""},
		{"pct zero", block{"threshold_pct": 0}, pct(0), ""},
		{"pct below", block{"threshold_pct": -1}, pct(0), "threshold_pct -1 → 0"},
		{"pct above", block{"threshold_pct": 101.5}, pct(100), "threshold_pct 101.5 → 100"},
		{"pct infinite", block{"threshold_pct": math.Inf(1)}, pct(100), "threshold_pct +Inf → 100"},
		{"pct huge string", block{"threshold_pct": "1e999"}, pct(100), `threshold_pct "1e999" → 100`},
		{"pct NaN", block{"threshold_pct": math.NaN()}, DefaultToolSearch(), "threshold_pct NaN → 5"},
		{"pct NaN string", block{"threshold_pct": "nan"}, DefaultToolSearch(), `threshold_pct "nan" → 5`},
		{"pct word", block{"threshold_pct": "5%"}, DefaultToolSearch(), `threshold_pct "5%" → 5`},
		{"pct boolean", block{"threshold_pct": true}, DefaultToolSearch(), "threshold_pct true → 5"},
		{"pct map", block{"threshold_pct": block{}}, DefaultToolSearch(), "threshold_pct map[] → 5"},
		{"limit follows the greatest down", block{"max_search_limit": 3}, limits(3, 3), ""},
		{"limit above the greatest", block{"max_search_limit": 3, "search_default_limit": 4}, limits(3, 3), "search_default_limit 4 → 3"},
		{"limit of the wrong type", block{"max_search_limit": 3, "search_default_limit": "x"}, limits(3, 3), `search_default_limit "x" → 3`},
		{"limit zero", block{"search_default_limit": 0}, limits(1, 25), "search_default_limit 0 → 1"},
		{"greatest above", block{"max_search_limit": 51}, limits(5, 50), "max_search_limit 51 → 50"},
		{"greatest below", block{"max_search_limit": -3}, limits(1, 1), "max_search_limit -3 → 1"},
		{"fraction truncated", block{"search_default_limit": 7.9}, limits(7, 25), "search_default_limit 7.9 → 7"},
		{"whole float", block{"search_default_limit": 7.0}, limits(7, 25), ""},
		{"numeric string for a whole number", block{"listing_max_tokens": "800"}, cap(800), ""},
		{"cap below", block{"listing_max_tokens": 199}, cap(200), "listing_max_tokens 199 → 200"},
		{"cap above", block{"listing_max_tokens": int64(1 << 60)}, cap(60000), "listing_max_tokens 1152921504606846976 → 60000"},
		{"cap fraction above", block{"listing_max_tokens": 60000.5}, cap(60000), "listing_max_tokens 60000.5 → 60000"},
		{"unknown keys", block{"threshhold_pct": 3, "alpha": "x"}, DefaultToolSearch(), `alpha "x" → ; threshhold_pct 3 → `},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, warnings := ParseToolSearch(test.raw)
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			var all []string
			for _, w := range warnings {
				all = append(all, w.Key+" "+w.Given+" → "+w.Used)
				if w.Message == "" || !strings.Contains(w.Message, w.Key) {
					t.Errorf("the message does not name the key: %+v", w)
				}
			}
			if s := strings.Join(all, "; "); s != test.warnings {
				t.Errorf("warnings: got %q, want %q", s, test.warnings)
			}
		})
	}
}

func TestUnknownKeySuggestsAnother(t *testing.T) {
	_, warnings := ParseToolSearch(map[string]any{"threshold_pc": 3})
	if len(warnings) != 1 || !strings.Contains(warnings[0].Message, "did you mean threshold_pct?") {
		t.Errorf("got %v", warnings)
	}
}

func TestSetToolSearch(t *testing.T) {
	tests := []struct {
		name       string
		raw        any
		key, value string
		want       any
	}{
		{"over nothing", nil, "listing", "off", map[string]any{"listing": "off"}},
		{"over a map", map[string]any{"listing": "on", "x": 1}, "listing", "off", map[string]any{"listing": "off", "x": 1}},
		{"over true", true, "threshold_pct", "1", map[string]any{"enabled": "auto", "threshold_pct": "1"}},
		{"over false", false, "threshold_pct", "1", map[string]any{"enabled": "off", "threshold_pct": "1"}},
		{"over a word", "on", "threshold_pct", "1", map[string]any{"enabled": "on", "threshold_pct": "1"}},
		{"enabled over a word", "on", "enabled", "off", map[string]any{"enabled": "off"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := SetToolSearch(test.raw, test.key, test.value)
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
	original := map[string]any{"listing": "on"}
	if _, err := SetToolSearch(original, "listing", "off"); err != nil || original["listing"] != "on" {
		t.Errorf("the block given was changed: %v, %v", original, err)
	}
	for key, want := range map[string]string{"nope": "the keys are enabled, threshold_pct", "lisitng": "did you mean listing?", "": "the keys are"} {
		if _, err := SetToolSearch(nil, key, "1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", key, err, want)
		}
	}
}

// The keys' table is what the parser does: defaults, ranges and kinds.
func TestKeysAgreeWithTheParser(t *testing.T) {
	for _, k := range Keys() {
		for _, value := range []string{k.Default, number(k.Min), number(k.Max)} {
			if k.Switch && value != k.Default {
				continue
			}
			block, err := SetToolSearch(map[string]any{"max_search_limit": 50}, k.Name, value)
			if err != nil {
				t.Fatal(err)
			}
			if _, warnings := ParseToolSearch(block); len(warnings) > 0 {
				t.Errorf("%s=%s: %v", k.Name, value, warnings)
			}
		}
		if k.Switch {
			continue
		}
		for _, n := range []float64{k.Min - 1, k.Max + 1} {
			_, warnings := ParseToolSearch(map[string]any{"max_search_limit": 50, k.Name: n})
			if len(warnings) != 1 {
				t.Errorf("%s=%v: %v", k.Name, n, warnings)
			}
		}
		if _, warnings := ParseToolSearch(map[string]any{k.Name: k.Min + 0.5}); k.Whole != (len(warnings) == 1) {
			t.Errorf("%s: a fraction: %v", k.Name, warnings)
		}
	}
	if got := Keys()[1].Range() + "; " + Keys()[0].Range(); got != "0–100; auto, on, off" {
		t.Errorf("ranges: %s", got)
	}
}

func TestOneEdit(t *testing.T) {
	for _, pair := range [][2]string{{"a", ""}, {"abc", "ab"}, {"abc", "abd"}, {"abc", "acb"}, {"éa", "ea"}, {"x", "日"}, {"ab", "日ab"}} {
		if !oneEdit(pair[0], pair[1]) || !oneEdit(pair[1], pair[0]) {
			t.Errorf("%v are one edit apart", pair)
		}
	}
	for _, pair := range [][2]string{{"", ""}, {"a", "a"}, {"abc", "a"}, {"abcd", "badc"}, {"abc", "cba"}, {"ab", "cd"}, {"a", "日本語"}} {
		if oneEdit(pair[0], pair[1]) || oneEdit(pair[1], pair[0]) {
			t.Errorf("%v are not one edit apart", pair)
		}
	}
}
