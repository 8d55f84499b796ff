package mcpconn

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"toolscope/engine"
)

// ResultError says how the result of a call breaks the protocol. An agent
// refuses such a result; it is returned beside the error, for a person to see.
type ResultError struct {
	Server string
	Reason string // what was found where, and what is due
}

// Error names the server and what is wrong with the result.
func (e *ResultError) Error() string {
	return fmt.Sprintf("server %s: the result is malformed: %s", e.Server, e.Reason)
}

// malformed says what of a method's result is not as the protocol has it, ""
// where nothing is. Only the result of tools/call is looked into.
func malformed(method string, raw json.RawMessage) string {
	var result map[string]json.RawMessage
	if json.Unmarshal(raw, &result) != nil || result == nil {
		return "it is " + engine.Kind(raw) + " where an object is due"
	}
	if method != string(mcp.MethodToolsCall) || asText(result["resultType"]) == string(mcp.ResultTypeInputRequired) {
		return ""
	}
	if v, ok := result["isError"]; ok && engine.Kind(v) != "a boolean" {
		return "isError is " + engine.Kind(v) + " where a boolean is due"
	}
	if v, ok := result["structuredContent"]; ok && engine.Kind(v) != "an object" && engine.Kind(v) != "null" {
		return "structuredContent is " + engine.Kind(v) + " where an object is due"
	}
	content, ok := result["content"]
	if !ok {
		return "content is missing"
	}
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil || blocks == nil {
		return "content is " + engine.Kind(content) + " where a list is due"
	}
	for i, raw := range blocks {
		if reason := malformedBlock(raw); reason != "" {
			return fmt.Sprintf("content[%d]%s", i, reason)
		}
	}
	return ""
}

// malformedBlock says what is wrong with one block of content. A type that is
// not known may hold anything.
func malformedBlock(raw json.RawMessage) string {
	var block map[string]json.RawMessage
	if json.Unmarshal(raw, &block) != nil || block == nil {
		return " is " + engine.Kind(raw) + " where an object is due"
	}
	kinds := map[string][]string{
		mcp.ContentTypeText:  {"text"},
		mcp.ContentTypeImage: {"data", "mimeType"},
		mcp.ContentTypeAudio: {"data", "mimeType"},
		mcp.ContentTypeLink:  {"uri", "name"},
	}
	for _, key := range append([]string{"type"}, kinds[asText(block["type"])]...) {
		switch v, ok := block[key]; {
		case !ok:
			return "." + key + " is missing"
		case engine.Kind(v) != "a string":
			return "." + key + " is " + engine.Kind(v) + " where a string is due"
		}
	}
	if v, ok := block["resource"]; asText(block["type"]) == mcp.ContentTypeResource && engine.Kind(v) != "an object" {
		if !ok {
			return ".resource is missing"
		}
		return ".resource is " + engine.Kind(v) + " where an object is due"
	}
	return ""
}

// asText is the text of a JSON string, "" of anything else.
func asText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
