package mcpconn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// read runs a line reader over text and returns what it handed on and what it
// called noise.
func read(text string, limit int) (messages, noise []string) {
	var out bytes.Buffer
	r := lineReader{max: limit, keep: 200, noise: func(line string) { noise = append(noise, line) }}
	if err := r.copy(&out, strings.NewReader(text)); err != nil {
		panic(err)
	}
	for line := range strings.Lines(out.String()) {
		messages = append(messages, strings.TrimSuffix(line, "\n"))
	}
	return messages, noise
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, test := range []struct {
		name     string
		text     string
		messages []string
		noise    []string
	}{
		{"answer", `{"jsonrpc":"2.0","id":1,"result":{"a": 1}}` + "\n", []string{`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`}, nil},
		{"last line without an end", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{`{"jsonrpc":"2.0","id":1,"result":{}}`}, nil},
		{"CRLF and blank lines", "\r\n  \n" + `{"jsonrpc":"2.0","method":"m"}` + "\r\n", []string{`{"jsonrpc":"2.0","method":"m"}`}, nil},
		{"request", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, []string{`{"jsonrpc":"2.0","id":"a","method":"ping"}`}, nil},
		{"id as a string", `{"jsonrpc":"2.0","id":"7","result":1}`, []string{`{"jsonrpc":"2.0","id":7,"result":1}`}, nil},
		{"error and result", `{"jsonrpc":"2.0","id":7,"result":1,"error":{"code":1,"message":"m"}}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`}, nil},
		{"null error", `{"jsonrpc":"2.0","id":7,"result":1,"error":null}`, []string{`{"jsonrpc":"2.0","id":7,"result":1}`}, nil},
		{"error as text", `{"jsonrpc":"2.0","id":7,"error":"gone"}`, []string{`{"jsonrpc":"2.0","id":7,"error":"gone"}`}, nil},
		{"error as a list", `{"jsonrpc":"2.0","id":7,"error":[1]}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"[1]"}}`}, nil},
		{"text", "hello", nil, []string{"hello"}},
		{"JSON of another kind", `{"id":7,"result":1}`, nil, []string{`{"id":7,"result":1}`}},
		{"neither result nor error", `{"jsonrpc":"2.0","id":"7"}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"the answer holds neither a result nor an error"}}`}, nil},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, nil, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`}},
		{"numbers", "[1]\n7\nnull", nil, []string{"[1]", "7", "null"}},
		{"batch", `[{"jsonrpc":"2.0","id":1,"result":1},7,{"jsonrpc":"2.0","method":"m"}]`, []string{`{"jsonrpc":"2.0","id":1,"result":1}`, `{"jsonrpc":"2.0","method":"m"}`}, nil},
		{"too long, id first", `{"jsonrpc":"2.0","id":9,"result":"` + long + `"}` + "\nnext",
			[]string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32700,"message":"the answer cannot be read: a line of 2037 bytes is longer than the 1000 accepted"}}`},
			[]string{"a line of 2037 bytes is longer than the 1000 accepted", "next"}},
		{"too long, id last", `{"result":{"id":3,"x":"` + long + `\"}"},"jsonrpc":"2.0","id":"9"}`,
			[]string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32700,"message":"the answer cannot be read: a line of 2054 bytes is longer than the 1000 accepted"}}`},
			[]string{"a line of 2054 bytes is longer than the 1000 accepted"}},
		{"too long, a request", `{"jsonrpc":"2.0","id":9,"method":"x","params":"` + long + `"}`, nil, []string{"a line of 2049 bytes is longer than the 1000 accepted"}},
		{"long noise", strings.Repeat("y", 900), nil, []string{strings.Repeat("y", 200)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			messages, noise := read(test.text, 1000)
			equal(t, messages, test.messages)
			equal(t, noise, test.noise)
		})
	}
}

// A message too deep for the decoder fails its request instead of being lost.
func TestTooDeep(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	messages, noise := read(`{"jsonrpc":"2.0","id":5,"result":`+deep+`}`, 1<<20)
	if len(messages) != 1 || len(noise) != 0 {
		t.Fatalf("%q %q", messages, noise)
	}
	want(t, messages[0], `"id":5,"error"`, "cannot be decoded")
}

// What the reader makes of a text does not depend on the pieces it comes in.
func TestLineReaderPieces(t *testing.T) {
	text := strings.Repeat(`{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("ä", 3000)+"\"}\nnoise\n", 5)
	var whole, pieces bytes.Buffer
	r := lineReader{max: 1 << 20, noise: func(string) {}}
	r.copy(&whole, strings.NewReader(text))
	r.copy(&pieces, iotest.OneByteReader(strings.NewReader(text)))
	if whole.String() != pieces.String() || whole.Len() == 0 {
		t.Error("they differ")
	}
}

// A reader whose taker is gone reads on to the end.
func TestLineReaderWithoutTaker(t *testing.T) {
	src := strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","method":"m"}`+"\n", 100))
	r := lineReader{max: 1 << 20, noise: func(string) {}}
	if err := r.copy(refuses{}, src); err != nil || src.Len() != 0 {
		t.Errorf("%v, %d bytes left", err, src.Len())
	}
}

type refuses struct{}

func (refuses) Write([]byte) (int, error) { return 0, fmt.Errorf("nobody") }

func TestStderrLines(t *testing.T) {
	var got []string
	err := stderrLines(iotest.HalfReader(strings.NewReader("one\r\n\n"+strings.Repeat("x", 50)+"\nlast")), 10, func(line string) { got = append(got, line) })
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, []string{"one", "xxxxxxxxxx", "last"})
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","id":1,"result":1}]`, "noise\n{", `{"jsonrpc":"2.0","id":"x","error":7}`,
		"\xff\xfe\x00", `{"id":1e400,"jsonrpc":"2.0","result":1}`, strings.Repeat("[", 300), `{"jsonrpc":"2.0","id":{"a":1},"result":"` + strings.Repeat("x", 300),
		"{\"jsonrpc\":\"2.0\",\r\"method\":\"m\"}", `{"jsonrpc":"2.0","method":"m","params":"` + "\\u2028" + `"}`,
	} {
		f.Add([]byte(seed), 64)
	}
	f.Add([]byte(`{"jsonrpc":"","id":0 0""}`), 22)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		if limit < 1 || limit > 1<<20 {
			return
		}
		var out bytes.Buffer
		lines := 0
		r := lineReader{max: limit, keep: 100, noise: func(line string) {
			lines++
			if len(line) > 200 {
				t.Errorf("%d bytes of noise", len(line))
			}
		}}
		if err := r.copy(&out, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte("\n")) + 1; lines > n {
			t.Errorf("%d lines of noise from %d lines", lines, n)
		}
		for line := range bytes.Lines(out.Bytes()) {
			var m struct {
				JSONRPC string `json:"jsonrpc"`
			}
			if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC == "" {
				t.Errorf("%q is no message: %v", line, err)
			}
		}
	})
}
