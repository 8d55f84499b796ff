package engine

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"space", " { \"a\" : [ 1 ,\n\t2 ] , \"b\" : { } , \"c\" : [ ] } ", `{"a":[1,2],"b":{},"c":[]}`},
		{"no HTML escaping", `"\u003cb\u003e \u0026 <b> &"`, `"<b> & <b> &"`},
		{"line separators stay", `"\u2028\u2029"`, "\"\u2028\u2029\""},
		{"non-ASCII is decoded", `"\u00e9 \u65e5 é"`, `"é 日 é"`},
		{"surrogate pair", `"\ud83c\udf89"`, `"🎉"`},
		{"lone surrogates", `"\ud83c x \udf89 \ud83c\u0041"`, `"` + "\ufffd x \ufffd \ufffdA" + `"`},
		{"control characters", `"\u0000\u0007\u0008\u0009\u000a\u000c\u000d\u001b\u007f"`, `"\u0000\u0007\b\t\n\f\r\u001b` + "\x7f" + `"`},
		{"quote, backslash, slash", `"\"\\\/"`, `"\"\\/"`},
		{"invalid UTF-8", "\"a\xffb\xc3\"", "\"a\ufffdb\ufffd\""},
		{"number literals stand", `[1.0,1e5,-0,0.10,1E+2,12345678901234567890123]`, `[1.0,1e5,-0,0.10,1E+2,12345678901234567890123]`},
		{"literals", `[true,false,null]`, `[true,false,null]`},
		{"keys keep their order", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"key is re-encoded", `{"\u0061<":1}`, `{"a<":1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Canonical(json.RawMessage(test.in))
			if err != nil || string(got) != test.want {
				t.Fatalf("got %s, %v; want %s", got, err, test.want)
			}
			again, err := Canonical(got)
			if err != nil || string(again) != test.want {
				t.Errorf("not idempotent: got %s, %v", again, err)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, in := range []string{
		"", " ", "{", "[", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a" 1}`, `{a:1}`, `{1:2}`, "]", "}",
		`[}`, `{]`, `"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "tru", "nul", "+1", "01", "1.", ".5", "1e", "-", "1 2", "{} x", "\x00",
	} {
		got, err := Canonical(json.RawMessage(in))
		if err == nil {
			t.Errorf("Canonical(%q) = %s, want an error", in, got)
		}
		if json.Valid([]byte(in)) {
			t.Errorf("%q is valid JSON", in)
		}
	}
}

func TestCanonicalNesting(t *testing.T) {
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	if _, err := Canonical(nested(maxNesting)); err != nil {
		t.Errorf("%d levels: %v", maxNesting, err)
	}
	for _, n := range []int{maxNesting + 1, 10_001, 1_000_000} {
		_, err := Canonical(nested(n))
		if err == nil || !strings.Contains(err.Error(), "nested") {
			t.Errorf("%d levels: got error %v", n, err)
		}
	}
}

func TestQuoteAndChars(t *testing.T) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\b\f\x00\x1f\x7f", "<&>\u2028é日🎉", "bad\xff\xc3"} {
		q := quote(s)
		if c, err := Canonical(q); err != nil || string(c) != string(q) {
			t.Errorf("quote(%q) = %s is not canonical: %s, %v", s, q, c, err)
		}
		if got, want := quotedChars(s), utf8.RuneCount(q); got != want {
			t.Errorf("quotedChars(%q) = %d, want %d", s, got, want)
		}
		if got, want := text(q), strings.ToValidUTF8(s, "\ufffd"); strings.ReplaceAll(s, "\xff\xc3", "") == s && got != want {
			t.Errorf("text(quote(%q)) = %q", s, got)
		}
	}
}

func TestFieldsAndItems(t *testing.T) {
	got := fields(json.RawMessage(`{"a":{"x":[1,"}"]},"b\"c":"\\","a":[],"d":-1.5}`))
	want := []field{{"a", json.RawMessage(`[]`)}, {`b"c`, json.RawMessage(`"\\"`)}, {"d", json.RawMessage(`-1.5`)}}
	if len(got) != len(want) {
		t.Fatalf("got %d fields: %v", len(got), got)
	}
	for i := range want {
		if got[i].key != want[i].key || string(got[i].value) != string(want[i].value) {
			t.Errorf("field %d: got %s: %s", i, got[i].key, got[i].value)
		}
	}
	var list []string
	for _, v := range items(json.RawMessage(`[1,[2,"],"],{"a":"]"},"x",null]`)) {
		list = append(list, string(v))
	}
	if got := strings.Join(list, " | "); got != `1 | [2,"],"] | {"a":"]"} | "x" | null` {
		t.Errorf("items: %s", got)
	}
	if len(items(json.RawMessage(`[]`))) != 0 || len(fields(json.RawMessage(`{}`))) != 0 {
		t.Error("empty values have parts")
	}
}
