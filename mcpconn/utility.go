package mcpconn

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// utility is one of the tools that Hermes adds for a server that offers
// resources or prompts: it stands for a method of the protocol.
type utility struct {
	method string
	raw    string // the tool as it would stand in tools/list
}

// utilities are the utility tools by name, in order.
func utilities(resources, prompts bool) []utility {
	var all []utility
	if resources {
		all = append(all,
			utility{string(mcp.MethodResourcesList), `{"name":"list_resources","description":"List the resources this server offers, with their URIs.","inputSchema":{"type":"object","properties":{"cursor":{"type":"string","description":"Where the page before left off."}}},"annotations":{"readOnlyHint":true}}`},
			utility{string(mcp.MethodResourcesRead), `{"name":"read_resource","description":"Read one resource of this server by its URI.","inputSchema":{"type":"object","properties":{"uri":{"type":"string","description":"As in list_resources."}},"required":["uri"]},"annotations":{"readOnlyHint":true}}`},
		)
	}
	if prompts {
		all = append(all,
			utility{string(mcp.MethodPromptsList), `{"name":"list_prompts","description":"List the prompts this server offers, with their arguments.","inputSchema":{"type":"object","properties":{"cursor":{"type":"string","description":"Where the page before left off."}}},"annotations":{"readOnlyHint":true}}`},
			utility{string(mcp.MethodPromptsGet), `{"name":"get_prompt","description":"Get one prompt of this server, filled in with arguments.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"As in list_prompts."},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"]},"annotations":{"readOnlyHint":true}}`},
		)
	}
	return all
}

// addUtilities appends the utility tools that a server is to get to its own,
// and remembers which names they took. A tool of the server's own that has such
// a name stays.
func (c *connection) addUtilities(l *listing, server config.Server) {
	offers := c.client.GetServerCapabilities()
	own := map[string]bool{}
	for _, t := range l.tools {
		own[t.Name] = true
	}
	methods := map[string]string{}
	for _, u := range utilities(server.Resources && offers.Resources != nil, server.Prompts && offers.Prompts != nil) {
		tool, _, err := engine.ParseTool(json.RawMessage(u.raw))
		if err != nil || own[tool.Name] {
			continue
		}
		methods[tool.Name] = u.method
		l.tools = append(l.tools, tool)
	}
	c.utilities.Store(&methods)
}

// callOf returns the method and parameters of a call: tools/call, or what a
// utility tool stands for.
func (c *connection) callOf(tool string, args json.RawMessage) (method string, params any) {
	if methods := c.utilities.Load(); methods != nil {
		if method, ok := (*methods)[tool]; ok {
			return method, args
		}
	}
	return string(mcp.MethodToolsCall), callParams{Name: tool, Arguments: args}
}
