package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolscope/fixtures"
)

func newFixture(o *options) *cobra.Command {
	return &cobra.Command{
		Use:       "fixture NAME",
		Short:     "Serve one of the demo MCP servers on standard input and output",
		Long:      "Serve one of the demo MCP servers over stdio until standard input closes.\nThe demo servers are: " + strings.Join(fixtures.Names(), ", ") + ".",
		ValidArgs: fixtures.Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("fixture needs one name: %s", strings.Join(fixtures.Names(), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return fixtures.Serve(cmd.Context(), args[0], o.in, cmd.OutOrStdout())
		},
	}
}
