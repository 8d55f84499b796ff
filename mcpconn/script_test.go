package mcpconn

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is also the servers under test: with scriptVar set it plays
// the script of that name over stdio and ends.
const (
	scriptVar = "MCPCONN_TEST_SCRIPT"
	reportVar = "MCPCONN_TEST_REPORT" // address that a script reports to
)

func TestMain(m *testing.M) {
	if name := os.Getenv(scriptVar); name != "" {
		play, ok := scripts[name]
		if !ok {
			play, ok = faultScripts[name]
		}
		if !ok {
			fmt.Fprintln(os.Stderr, "no such script:", name)
			os.Exit(70)
		}
		play(&script{in: bufio.NewReaderSize(os.Stdin, 1<<20), out: os.Stdout})
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// script is one MCP server playing its part badly.
type script struct {
	in  *bufio.Reader
	out io.Writer
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// next reads one message; at the end of the input the script ends.
func (s *script) next() message {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintf(os.Stderr, "unreadable: %s", line)
		os.Exit(71)
	}
	return m
}

// await reads until a message of this method.
func (s *script) await(method string) message {
	for {
		if m := s.next(); m.Method == method {
			return m
		}
	}
}

func (s *script) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func (s *script) reply(m message, result string) {
	s.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (s *script) fail(m message, code int, text string) {
	s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text)
}

const welcome = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"script","version":"1.2.3"}}`

// shake does the server's part of the handshake.
func (s *script) shake() {
	s.reply(s.await("initialize"), welcome)
	s.await("notifications/initialized")
}

// list answers the next tools/list with these tools and no cursor.
func (s *script) list(tools ...string) {
	s.reply(s.await("tools/list"), `{"tools":[`+strings.Join(tools, ",")+`]}`)
}

// serve answers everything there is to come.
func (s *script) serve(tools ...string) {
	for {
		switch m := s.next(); m.Method {
		case "tools/list":
			s.reply(m, `{"tools":[`+strings.Join(tools, ",")+`]}`)
		case "tools/call":
			s.reply(m, `{"content":[{"type":"text","text":"called"}],"echo":`+string(m.Params)+`}`)
		}
	}
}

// report opens the line to the test; the test sees it close when the process
// is gone.
func (s *script) report(line string) {
	conn, err := net.Dial("tcp", os.Getenv(reportVar))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(72)
	}
	fmt.Fprintln(conn, line)
	kept = append(kept, conn)
}

// kept holds a script's lines open for as long as the process lives.
var kept []net.Conn

// held is the progress token of the call that a script does not answer.
var held string

// floodSize is how many notifications a flood of progress has.
const floodSize = 30_000

func tool(name string) string {
	return fmt.Sprintf(`{"name":%q,"description":"does %s","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, name, name)
}

func forever() { select {} }

var scripts = map[string]func(*script){
	"plain": func(s *script) {
		s.shake()
		s.serve(tool("one"), tool("two"), tool("three"))
	},
	"offers": func(s *script) { // resources and prompts, and a tool that has the name of a utility tool
		s.reply(s.await("initialize"), strings.Replace(welcome, `"tools"`, `"resources":{},"prompts":{},"tools"`, 1))
		for {
			m := s.next()
			switch m.Method {
			case "tools/list":
				s.reply(m, `{"tools":[`+tool("one")+`,`+tool("get_prompt")+`]}`)
			case "tools/call", "resources/list", "resources/read", "prompts/list":
				s.reply(m, fmt.Sprintf(`{"content":[],"was":%q,"params":%s}`, m.Method, m.Params))
			}
		}
	},
	"modern only": func(s *script) { // knows no handshake
		for {
			m := s.next()
			switch m.Method {
			case "server/discover":
				s.reply(m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":1000,"cacheScope":"private"}`)
			case "tools/list":
				if !strings.Contains(string(m.Params), "io.modelcontextprotocol/protocolVersion") {
					s.fail(m, -32602, "missing _meta")
					continue
				}
				s.reply(m, `{"tools":[`+tool("one")+`]}`)
			case "tools/call":
				s.reply(m, `{"content":[],"params":`+string(m.Params)+`}`)
			default:
				if len(m.ID) > 0 {
					s.fail(m, -32601, "no such method")
				}
			}
		}
	},
	"flood": func(s *script) { // speaks no protocol, and does not stop
		for {
			s.say("y")
		}
	},
	"noise": func(s *script) {
		for i := range 36 {
			s.say("  ▶ starting up, step %d", i)
		}
		s.say(`{"level":"info","msg":"valid JSON, no JSON-RPC"}`)
		s.say(`[1,2,3]`)
		s.say(`{"jsonrpc":"2.0","broken`)
		s.say(``)
		s.shake()
		s.say("between the lines")
		s.serve(tool("one"))
	},
	"exit": func(s *script) {
		fmt.Fprintln(os.Stderr, "Error: API_KEY is not set")
		fmt.Fprintln(os.Stderr)
		os.Exit(3)
	},
	"exit after initialize": func(s *script) {
		s.await("initialize")
		os.Exit(1)
	},
	"killed": func(s *script) {
		s.shake()
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Kill()
		}
		forever()
	},
	"mute": func(s *script) {
		fmt.Fprintln(os.Stderr, "downloading…")
		for {
			s.next()
		}
	},
	"initialize refused": func(s *script) {
		s.fail(s.await("initialize"), -32603, "licence expired")
		forever()
	},
	"unknown protocol": func(s *script) {
		s.reply(s.await("initialize"), strings.Replace(welcome, "2025-06-18", "1999-01-01", 1))
		forever()
	},
	"old protocol": func(s *script) {
		s.reply(s.await("initialize"), strings.Replace(welcome, "2025-06-18", "2024-11-05", 1))
		s.serve(tool("one"))
	},
	"list refused": func(s *script) {
		s.shake()
		s.fail(s.await("tools/list"), -32603, "database is locked")
		forever()
	},
	"error as a string": func(s *script) {
		s.shake()
		m := s.await("tools/list")
		s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":"E_LIST","message":"odd error"}}`, m.ID)
		forever()
	},
	"no tools capability": func(s *script) {
		s.reply(s.await("initialize"), `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"script","version":"1"}}`)
		s.fail(s.await("tools/list"), -32601, "Method not found")
		forever()
	},
	"not a list": func(s *script) {
		s.shake()
		s.reply(s.await("tools/list"), `{"tools":{"one":{}}}`)
		forever()
	},
	"pages": func(s *script) { // 1,271 tools in pages of 1,000 with an opaque cursor
		s.shake()
		for {
			m := s.await("tools/list")
			from := 0
			if strings.Contains(string(m.Params), "b3BhcXVl==/+") {
				from = 1000
			}
			var tools []string
			for i := from; i < min(from+1000, 1271); i++ {
				tools = append(tools, tool("t"+strconv.Itoa(i)))
			}
			cursor := `,"nextCursor":"b3BhcXVl==/+"`
			if from > 0 {
				cursor = `,"nextCursor":null`
			}
			s.reply(m, `{"tools":[`+strings.Join(tools, ",")+`]`+cursor+`}`)
		}
	},
	"same cursor": func(s *script) { // a new page each time, the cursor stands still
		s.shake()
		for i := 0; ; i++ {
			s.reply(s.await("tools/list"), fmt.Sprintf(`{"tools":[%s],"nextCursor":"again"}`, tool("t"+strconv.Itoa(i))))
		}
	},
	"cursor ignored": func(s *script) { // the whole list each time, with an ever new cursor
		s.shake()
		for i := 0; ; i++ {
			s.reply(s.await("tools/list"), fmt.Sprintf(`{"tools":[%s,%s],"nextCursor":"c%d"}`, tool("one"), tool("two"), i))
		}
	},
	"cursor of no kind": func(s *script) {
		s.shake()
		s.reply(s.await("tools/list"), fmt.Sprintf(`{"tools":[%s],"nextCursor":{"page":2}}`, tool("one")))
		forever()
	},
	"cursor of a number": func(s *script) {
		s.shake()
		s.reply(s.await("tools/list"), fmt.Sprintf(`{"tools":[%s],"nextCursor":7}`, tool("one")))
		if m := s.await("tools/list"); string(m.Params) != `{"cursor":7}` {
			s.fail(m, -32602, "not the cursor I gave: "+string(m.Params))
			forever()
		} else {
			s.reply(m, `{"tools":[`+tool("two")+`]}`)
		}
		forever()
	},
	"odd tools": func(s *script) {
		s.shake()
		s.serve(
			tool("same"), strings.Replace(tool("same"), "does", "also does", 1),
			`{"name":"no schema"}`, `{"name":"null schema","inputSchema":null,"description":null}`,
			`{"description":"nameless"}`, `"text"`, `null`, `{"name":7}`,
			`{"name":"\u001b]52;c;aGk=\u0007esc","description":"\u001b[2Jclear"}`,
			`{"name":"ünï/cödé.with spaces","inputSchema":{"oneOf":[{"type":["object","null"]}],"$defs":{"x":{"$ref":"#/$defs/x"}}},"extra":{"kept":true}}`,
			"{\"name\":\"bad utf8 \xff\xfe\"}",
			fmt.Sprintf(`{"name":%q}`, strings.Repeat("n", 1<<20)),
		)
	},
	"large": func(s *script) { // one line of more than 3 MB, and one tool of 235 KB
		s.shake()
		var tools []string
		for i := range 300 {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":%q}`, i, strings.Repeat("x", 10_000)))
		}
		tools = append(tools, fmt.Sprintf(`{"name":"big","description":%q}`, strings.Repeat("y", 235_000)))
		s.serve(tools...)
	},
	"deep": func(s *script) { // nested deeper than any decoder goes
		s.shake()
		s.serve(`{"name":"deep","inputSchema":` + strings.Repeat(`{"a":`, 20_000) + `1` + strings.Repeat(`}`, 20_000) + `}`)
	},
	"stderr flood": func(s *script) {
		for i := range 5000 { // more than 180 KB
			fmt.Fprintf(os.Stderr, "line %d of a long, long story of start-up\n", i)
		}
		s.shake()
		s.serve(tool("one"))
	},
	"string ids": func(s *script) { // ids sent back as strings
		quoted := func(m message) message { m.ID = json.RawMessage(`"` + string(m.ID) + `"`); return m }
		s.reply(quoted(s.await("initialize")), welcome)
		s.await("notifications/initialized")
		s.reply(quoted(s.await("tools/list")), `{"tools":[`+tool("one")+`]}`)
		forever()
	},
	"batch": func(s *script) {
		s.shake()
		m := s.await("tools/list")
		s.say(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"in a batch"}},{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}]`, m.ID, tool("one"))
		forever()
	},
	"changes": func(s *script) { // says so before the first answer, then grows with each call
		s.shake()
		s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		tools := []string{tool("one")}
		for {
			switch m := s.next(); m.Method {
			case "tools/list":
				s.reply(m, `{"tools":[`+strings.Join(tools, ",")+`]}`)
			case "tools/call":
				tools = append(tools, tool("more"+strconv.Itoa(len(tools))))
				s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				s.reply(m, `{"content":[]}`)
			}
		}
	},
	"storm": func(s *script) { // a storm of changes; how often was listed is the list
		s.shake()
		s.list(tool("calm"))
		s.await("tools/call")
		for range 2000 {
			s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		for n := 1; ; n++ {
			s.list(tool("listed" + strconv.Itoa(n)))
		}
	},
	"change of nothing": func(s *script) { // says so twice; only the second time is it true
		s.shake()
		s.list(tool("one"))
		s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		s.list(tool("one"))
		s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		s.list(tool("one"), tool("two"))
		forever()
	},
	"asks without end": func(s *script) { // asks and asks, and reads no answer
		s.shake()
		m := s.await("tools/list")
		for i := range 20_000 {
			s.say(`{"jsonrpc":"2.0","id":"ask-%d","method":"roots/list"}`, i)
		}
		s.reply(m, `{"tools":[`+tool("one")+`]}`)
		forever()
	},
	"waits at the end": func(s *script) { // ends when the test lets it
		s.shake()
		s.list(tool("one"))
		io.Copy(io.Discard, s.in)
		s.report("closing")
		kept[0].Read(make([]byte, 1))
	},
	"mortal": func(s *script) { // dies at a point chosen by chance
		fate := rand.IntN(6)
		die := func(point int) {
			if fate == point {
				os.Exit(fate)
			}
		}
		die(1)
		m := s.await("initialize")
		die(2)
		s.reply(m, welcome)
		m = s.await("tools/list")
		die(3)
		if fate == 4 {
			s.say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[`, m.ID)
			os.Exit(4)
		}
		s.reply(m, `{"tools":[`+tool("one")+`]}`)
		die(5)
		s.serve(tool("one"))
	},
	"change then trouble": func(s *script) {
		s.shake()
		s.list(tool("one"))
		s.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		s.fail(s.await("tools/list"), -32603, "busy")
		forever()
	},
	"asks": func(s *script) { // asks everything a server can ask; the answers are the tools
		s.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"boot","data":"before the handshake"}}`)
		s.shake()
		m := s.await("tools/list")
		var tools []string
		for i, method := range []string{"ping", "roots/list", "sampling/createMessage", "elicitation/create", "tasks/mine"} {
			s.say(`{"jsonrpc":"2.0","id":"ask-%d","method":%q,"params":{"messages":[],"maxTokens":5,"message":"?","requestedSchema":{"type":"object","properties":{}}}}`, i, method)
			answer := s.next()
			text := string(answer.Result)
			if len(answer.Error) > 0 {
				text = string(answer.Error)
			}
			tools = append(tools, fmt.Sprintf(`{"name":%q,"description":%q}`, method, text))
		}
		s.reply(m, `{"tools":[`+strings.Join(tools, ",")+`]}`)
		forever()
	},
	"calls": func(s *script) { // each tool is an oddity of answering
		s.shake()
		var held message
		for {
			m := s.next()
			switch {
			case m.Method == "tools/list":
				s.reply(m, `{"tools":[]}`)
			case m.Method == "notifications/cancelled":
				s.report("cancelled " + string(m.Params))
			case m.Method != "tools/call":
			case strings.Contains(string(m.Params), `"silent"`):
			case strings.Contains(string(m.Params), `"hold"`):
				held = m
				s.report("held")
			case strings.Contains(string(m.Params), `"release"`): // answers come out of order
				s.reply(m, `{"content":[{"type":"text","text":"second"}]}`)
				s.reply(held, `{"content":[{"type":"text","text":"first"}]}`)
			case strings.Contains(string(m.Params), `"unknown"`):
				s.fail(m, -32602, "Unknown tool, and your key is s3cr3t-in-env")
			case strings.Contains(string(m.Params), `"code"`):
				var p struct{ Arguments struct{ Code int } }
				json.Unmarshal(m.Params, &p)
				s.fail(m, p.Arguments.Code, "no")
			case strings.Contains(string(m.Params), `"isError"`):
				s.reply(m, `{"isError":true,"content":[{"type":"text","text":"no such row"}],"structuredContent":{"row":null}}`)
			case strings.Contains(string(m.Params), `"progress"`):
				s.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`)
				s.reply(m, `{"content":[]}`)
			case strings.Contains(string(m.Params), `"die"`):
				fmt.Fprintln(os.Stderr, "panic: at the disco")
				os.Exit(2)
			default:
				s.reply(m, `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"resource_link","uri":"x:1","name":"l"}],"params":`+string(m.Params)+`}`)
			}
		}
	},
	"tells": func(s *script) { // each tool tells its progress in a way of its own
		s.shake()
		for {
			m := s.next()
			var p struct {
				Name string
				Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
			json.Unmarshal(m.Params, &p)
			token := string(p.Meta.ProgressToken)
			tell := func(token, rest string) {
				s.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s%s}}`, token, rest)
			}
			turn := func() { s.reply(s.await("tools/call"), `{"content":[]}`) } // the test's
			switch {
			case m.Method == "tools/list":
				s.reply(m, `{"tools":[]}`)
			case m.Method == "notifications/cancelled":
				tell(held, `,"progress":2`)
				s.report("cancelled " + string(m.Params))
			case m.Method != "tools/call":
			case p.Name == "steps":
				for i := range 10 {
					tell(token, fmt.Sprintf(`,"progress":%d,"total":10,"message":"step %[1]d"`, i+1))
					turn()
				}
				s.reply(m, `{"content":[]}`)
			case p.Name == "odd":
				for _, other := range []string{"77", `"77"`, `"x"`, "null", "{}", "1.5", "1e300"} {
					tell(other, `,"progress":1,"message":"not mine"`)
				}
				s.say(`{"jsonrpc":"2.0","method":"notifications/progress"}`)
				s.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`)
				for _, rest := range []string{``, `,"progress":"1"`, `,"progress":null`, `,"progress":1e999`} {
					tell(token, rest)
				}
				tell(`"`+token+`"`, `,"progress":0.5,"total":-1,"message":"with s3cr3t-in-env"`)
				turn()
				s.reply(m, `{"content":[]}`)
			case p.Name == "flood":
				pipe := bufio.NewWriterSize(s.out, 64<<10)
				s.out = pipe
				for i := range floodSize {
					tell(token, fmt.Sprintf(`,"progress":%d,"message":"a message of no use to anybody"`, i+1))
				}
				pipe.Flush()
				s.out = os.Stdout
				turn()
				s.reply(m, `{"content":[]}`)
			case p.Name == "late":
				s.reply(m, `{"content":[]}`)
				turn()
				tell(token, `,"progress":1`)
			case p.Name == "hold":
				held = token
				s.report("held " + string(m.ID))
			default:
				s.reply(m, `{"content":[],`+strings.TrimPrefix(string(m.Params), "{"))
			}
		}
	},
	"deaf": func(s *script) { // never reads after the listing
		s.shake()
		s.list(tool("one"))
		forever()
	},
	"stays": func(s *script) { // ignores its closed stdin until SIGTERM
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		s.shake()
		s.list(tool("one"))
		<-term
		s.report("terminated")
		os.Exit(0)
	},
	"stubborn": func(s *script) { // ignores SIGTERM too
		signal.Ignore(syscall.SIGTERM)
		s.report("alive")
		s.shake()
		s.list(tool("one"))
		forever()
	},
	"wrapper": func(s *script) { // as npx: its child serves, and outlives it
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), scriptVar+"=outlives")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if child.Start() != nil {
			os.Exit(73)
		}
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		<-term
		os.Exit(0)
	},
	"outlives": func(s *script) {
		signal.Ignore(syscall.SIGTERM)
		s.report("grandchild")
		s.shake()
		s.list(tool("one"))
		forever()
	},
	"abandons": func(s *script) { // leaves a child behind and exits while ready
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), scriptVar+"=left behind")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		s.shake()
		s.list(tool("one"))
		if child.Start() != nil {
			os.Exit(73)
		}
		s.await("tools/call")
		os.Exit(4)
	},
	"left behind": func(s *script) {
		signal.Ignore(syscall.SIGTERM)
		s.report("left behind")
		forever()
	},
	"closes stdout": func(s *script) {
		s.shake()
		s.list(tool("one"))
		os.Stdout.Close()
		forever()
	},
	"environment": func(s *script) { // tells its environment as tools
		s.shake()
		var tools []string
		for _, pair := range os.Environ() {
			tools = append(tools, fmt.Sprintf(`{"name":%q}`, pair))
		}
		s.serve(tools...)
	},
	"leaks": func(s *script) { // says its secrets wherever it can
		fmt.Fprintln(os.Stderr, "connecting with", os.Getenv("TOKEN"), os.Args)
		s.say("token %s", os.Getenv("TOKEN"))
		s.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"token":%q}}}`, os.Getenv("TOKEN"))
		s.shake()
		s.fail(s.await("tools/list"), -32603, "401 for "+os.Getenv("TOKEN"))
		forever()
	},
}
