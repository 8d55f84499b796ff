package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Switch is a three-way setting. Auto is On today, and shown as what it is.
type Switch string

// The values of a [Switch].
const (
	Auto Switch = "auto"
	On   Switch = "on"
	Off  Switch = "off"
)

// ToolSearch is the effective configuration block tools.tool_search.
type ToolSearch struct {
	Enabled            Switch  `json:"enabled"`
	ThresholdPct       float64 `json:"threshold_pct"`        // percent of the context, 0–100
	SearchDefaultLimit int     `json:"search_default_limit"` // matches per query, 1–MaxSearchLimit
	MaxSearchLimit     int     `json:"max_search_limit"`     // 1–50
	Listing            Switch  `json:"listing"`
	ListingMaxTokens   int     `json:"listing_max_tokens"` // tokens, 200–60000
}

// Config is all that an assembly depends on besides the session's tools.
type Config struct {
	ToolSearch
	ContextLength int       // the model's context in tokens; 0: unknown
	ToolNames     NameStyle // "" is single
}

// Warning says that something given was not used as given: a key that was
// clamped, ignored or repaired, a tool that was shadowed or left out.
type Warning struct {
	Key     string `json:"key"`     // the setting's key, or the tool's wire name
	Given   string `json:"given"`   // the value given
	Used    string `json:"used"`    // the value in force; "" where ignored or left out
	Message string `json:"message"` // one sentence for a person
}

// String is the warning for a person: its message, with the key where that does
// not name it.
func (w Warning) String() string {
	if w.Key == "" || strings.Contains(w.Message, w.Key) {
		return w.Message
	}
	return w.Key + ": " + w.Message
}

// The keys of tools.tool_search.
const (
	KeyEnabled            = "enabled"
	KeyThresholdPct       = "threshold_pct"
	KeySearchDefaultLimit = "search_default_limit"
	KeyMaxSearchLimit     = "max_search_limit"
	KeyListing            = "listing"
	KeyListingMaxTokens   = "listing_max_tokens"
)

// Key describes one key of tools.tool_search.
type Key struct {
	Name     string
	Default  string
	Switch   bool    // takes auto, on or off; otherwise a number
	Whole    bool    // takes whole numbers only
	Min, Max float64 // of a number, both included
}

// Range returns what the key takes, for a person: "0–100" or "auto, on, off".
func (k Key) Range() string {
	if k.Switch {
		return "auto, on, off"
	}
	return number(k.Min) + "–" + number(k.Max)
}

// Keys returns the keys of tools.tool_search in the order of the engine's
// specification, §2. search_default_limit has max_search_limit as its upper
// limit, whose own greatest value is given here.
func Keys() []Key {
	return []Key{
		{Name: KeyEnabled, Default: "auto", Switch: true},
		{Name: KeyThresholdPct, Default: "5", Min: 0, Max: 100},
		{Name: KeySearchDefaultLimit, Default: "5", Whole: true, Min: 1, Max: 50},
		{Name: KeyMaxSearchLimit, Default: "25", Whole: true, Min: 1, Max: 50},
		{Name: KeyListing, Default: "auto", Switch: true},
		{Name: KeyListingMaxTokens, Default: "4000", Whole: true, Min: listingMaxTokensMin, Max: listingMaxTokensMax},
	}
}

// The range of listing_max_tokens, in tokens.
const (
	listingMaxTokensMin = 200
	listingMaxTokensMax = 60000
)

// DefaultToolSearch returns the block as it is where nothing is configured.
func DefaultToolSearch() ToolSearch {
	return ToolSearch{
		Enabled:            Auto,
		ThresholdPct:       5,
		SearchDefaultLimit: 5,
		MaxSearchLimit:     25,
		Listing:            Auto,
		ListingMaxTokens:   4000,
	}
}

// ParseToolSearch reads the block tools.tool_search as YAML or JSON decode it:
// a map[string]any, or a scalar that stands for enabled, or nil. Nothing is
// fatal: each repair is a warning, and the block returned is what is in force.
func ParseToolSearch(raw any) (ToolSearch, []Warning) {
	p := blockParser{block: map[string]any{}}
	switch raw.(type) {
	case map[string]any, nil, bool, string, json.Number:
		p.block = widen(raw)
	default:
		if _, ok := toNumber(raw); ok {
			p.block = widen(raw)
		} else {
			p.warn("tool_search", raw, "the defaults", "is no block of settings and is ignored")
		}
	}

	t := DefaultToolSearch()
	t.Enabled = p.toggle(KeyEnabled, t.Enabled)
	t.ThresholdPct = p.number(KeyThresholdPct, t.ThresholdPct, 0, 100)
	t.MaxSearchLimit = p.whole(KeyMaxSearchLimit, t.MaxSearchLimit, 1, 50)
	// Not given, the default limit follows the greatest one down in silence.
	t.SearchDefaultLimit = p.whole(KeySearchDefaultLimit, min(t.SearchDefaultLimit, t.MaxSearchLimit), 1, t.MaxSearchLimit)
	t.Listing = p.toggle(KeyListing, t.Listing)
	t.ListingMaxTokens = p.whole(KeyListingMaxTokens, t.ListingMaxTokens, listingMaxTokensMin, listingMaxTokensMax)

	for _, k := range unknownKeys(p.block) {
		message := "is no key of tools.tool_search and is ignored"
		if near, ok := nearest(k, keyNames()); ok {
			message += ": did you mean " + near + "?"
		}
		p.warn(k, p.block[k], "", message)
	}
	return t, p.warnings
}

// Block returns the block as YAML or JSON decode it: what [ParseToolSearch]
// reads back without a warning.
func (t ToolSearch) Block() map[string]any {
	return map[string]any{
		KeyEnabled:            string(t.Enabled),
		KeyThresholdPct:       t.ThresholdPct,
		KeySearchDefaultLimit: t.SearchDefaultLimit,
		KeyMaxSearchLimit:     t.MaxSearchLimit,
		KeyListing:            string(t.Listing),
		KeyListingMaxTokens:   t.ListingMaxTokens,
	}
}

// SetToolSearch lays one key over a block as decoded (see [ParseToolSearch])
// and returns the new block; raw stays as it was. A scalar block is widened to
// what it stands for. It fails where there is no such key.
func SetToolSearch(raw any, key, value string) (any, error) {
	names := keyNames()
	if !slices.Contains(names, key) {
		message := fmt.Sprintf("%q is no key of tools.tool_search: the keys are %s", key, strings.Join(names, ", "))
		if near, ok := nearest(key, names); ok {
			message = fmt.Sprintf("%q is no key of tools.tool_search: did you mean %s?", key, near)
		}
		return raw, fmt.Errorf("%s", message)
	}
	block := map[string]any{}
	for k, v := range widen(raw) {
		block[k] = v
	}
	block[key] = value
	return block, nil
}

// widen returns a block as the map it stands for.
func widen(raw any) map[string]any {
	switch v := raw.(type) {
	case map[string]any:
		return v
	case nil:
		return nil
	case bool:
		if v {
			return map[string]any{KeyEnabled: string(Auto)}
		}
		return map[string]any{KeyEnabled: string(Off)}
	}
	return map[string]any{KeyEnabled: raw}
}

func keyNames() []string {
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	return names
}

func unknownKeys(block map[string]any) []string {
	known := keyNames()
	var unknown []string
	for k := range block {
		if !slices.Contains(known, k) {
			unknown = append(unknown, k)
		}
	}
	sort.Strings(unknown)
	return unknown
}

// blockParser reads the keys of a block and gathers what had to be repaired.
type blockParser struct {
	block    map[string]any
	warnings []Warning
}

func (p *blockParser) warn(key string, given any, used, message string) {
	w := Warning{Key: key, Given: givenText(given), Used: used}
	w.Message = fmt.Sprintf("%s: %s %s", key, w.Given, message)
	if used != "" {
		w.Message += "; " + used + " is used"
	}
	p.warnings = append(p.warnings, w)
}

// toggle reads a switch.
func (p *blockParser) toggle(key string, fallback Switch) Switch {
	given := p.block[key]
	word := ""
	switch v := given.(type) {
	case nil:
		return fallback
	case bool:
		word = strconv.FormatBool(v)
	case string:
		word = strings.ToLower(strings.TrimSpace(v))
	default:
		if n, ok := toNumber(given); ok {
			word = number(n)
		}
	}
	switch word {
	case "auto":
		return Auto
	case "on", "true", "1", "yes":
		return On
	case "off", "false", "0", "no":
		return Off
	}
	p.warn(key, given, string(fallback), "is none of auto, on and off")
	return fallback
}

// number reads a number from min to max.
func (p *blockParser) number(key string, fallback, min, max float64) float64 {
	given := p.block[key]
	if given == nil {
		return fallback
	}
	n, ok := toNumber(given)
	switch {
	case !ok || math.IsNaN(n):
		p.warn(key, given, number(fallback), "is no number")
		return fallback
	case n < min:
		p.warn(key, given, number(min), fmt.Sprintf("is below the least value, %s", number(min)))
		return min
	case n > max:
		p.warn(key, given, number(max), fmt.Sprintf("is above the greatest value, %s", number(max)))
		return max
	}
	return n
}

// whole reads a whole number from min to max; a fraction is truncated.
func (p *blockParser) whole(key string, fallback, min, max int) int {
	before := len(p.warnings)
	n := p.number(key, float64(fallback), float64(min), float64(max))
	whole := math.Trunc(n)
	if whole != n && len(p.warnings) == before {
		p.warn(key, p.block[key], number(whole), "is no whole number")
	}
	return int(whole)
}

// toNumber returns a decoded scalar as a number; a numeric string is one, a
// boolean is none.
func toNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case int32:
		return float64(v), true
	case uint64:
		return float64(v), true
	case uint:
		return float64(v), true
	case json.Number:
		return toNumber(string(v))
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		// Out of range is an infinity, which is then clamped.
		return n, err == nil || math.IsInf(n, 0)
	}
	return 0, false
}

// number formats a number for a person.
func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// givenText formats a decoded value for a warning.
func givenText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return cut(strconv.Quote(v), 60)
	case float64:
		return number(v)
	}
	return cut(fmt.Sprint(v), 60)
}
