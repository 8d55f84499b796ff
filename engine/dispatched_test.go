package engine

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestDispatched(t *testing.T) {
	for _, test := range []struct {
		result string
		err    error
		reason string
		output string
		failed bool
	}{
		{`{"content":[]}`, nil, "live: the server answered", `{"content":[]}`, false},
		{`{"isError":true,"content":[]}`, nil, "the tool says it failed (isError)", `{"isError":true,"content":[]}`, true},
		{`{"isError":false,"content":[]}`, nil, "live: the server answered", `{"isError":false,"content":[]}`, false},
		{"", errors.New("server x is gone"), "failed: server x is gone", `{"error":"server x is gone"}`, true},
		{`"text"`, errors.New("a string where an object is due"), "failed: a string where an object is due", `"text"`, true},
	} {
		v := Dispatched(json.RawMessage(test.result), test.err, 7)
		if v.Outcome != OutcomePassed || !strings.Contains(v.Reason, test.reason) || string(v.Output) != test.output || v.Failed != test.failed || v.Duration != 7 {
			t.Errorf("%s, %v: %+v, %s", test.result, test.err, v, v.Output)
		}
	}
}
