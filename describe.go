package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/ui/display"
)

func newDescribe(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "describe NAME...",
		Short: "Run tool_describe as the model would, up to ten tools at once",
		Long: `Run tool_describe over the deferred tools and print what the model would get:
each tool's description and its parameter schema, unchanged. It exits with 1
where a name is not to be had by tool_describe.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("describe needs a tool's wire name, such as: toolscope describe mcp_github_create_issue")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.describe(cmd, args) },
	}
}

func (o *options) describe(cmd *cobra.Command, names []string) error {
	w, err := o.world(cmd.Context())
	if err != nil {
		return err
	}
	raw, err := json.Marshal(map[string]any{"names": names})
	if err != nil {
		return fmt.Errorf("the names: %w", err)
	}
	answer := w.assemble().ToolDescribe(raw)
	var parsed struct {
		Error string
		engine.DescribeAnswer
	}
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return fmt.Errorf("the answer of tool_describe: %w", err)
	}
	if parsed.Error != "" {
		return fmt.Errorf("describe: %s", parsed.Error)
	}
	if o.json {
		err = printJSON(cmd.OutOrStdout(), answer)
	} else {
		err = printDescriptions(cmd.OutOrStdout(), parsed.DescribeAnswer)
	}
	if err != nil {
		return err
	}
	if missing := len(parsed.NotFound) + len(parsed.Errors); missing > 0 {
		return no("%d of the names given cannot be described", missing)
	}
	return o.partial(cmd, w)
}

// printDescriptions writes the answer for a person, tools by name.
func printDescriptions(out io.Writer, answer engine.DescribeAnswer) error {
	var names []string
	for name := range answer.Tools {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		tool := answer.Tools[name]
		fmt.Fprintf(out, "%s\n", display.Text(name))
		if tool.Description != "" {
			fmt.Fprintf(out, "%s\n", display.Block(tool.Description))
		}
		if err := printJSON(out, tool.Parameters); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	for _, name := range answer.NotFound {
		fmt.Fprintf(out, "%s: not found in this session\n", display.Text(name))
	}
	if answer.Hint != "" {
		fmt.Fprintf(out, "%s\n", display.Text(answer.Hint))
	}
	names = nil
	for name := range answer.Errors {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(out, "%s\n", display.Text(answer.Errors[name]))
	}
	return nil
}
