package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolscope/mcpconn/config"
)

func newSnapshot(o *options) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Write every tool to a file that --snapshot reads, without any secret",
		Long: `Connect to the servers and write their tools, the plugin toolsets and the core
tools to one file. It holds no environment, headers, arguments or URLs. A server
that failed is left out and named.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := o.world(cmd.Context())
			if err != nil {
				return err
			}
			data := append(w.catalog.Encode(), '\n')
			if output == "-" {
				if _, err := cmd.OutOrStdout().Write(data); err != nil {
					return err
				}
				return o.partial(cmd, w)
			}
			if strings.HasSuffix(output, ".gz") {
				if data, err = pack(data); err != nil {
					return err
				}
			}
			if _, err := os.Stat(filepath.Dir(output)); err != nil {
				return fmt.Errorf("snapshot -o %s: there is no folder %s", output, filepath.Dir(output))
			}
			if err := config.ReplaceFile(output, data, 0o644); err != nil {
				return fmt.Errorf("snapshot -o %s: %w", output, err)
			}
			tools := len(w.catalog.Core)
			for _, s := range w.catalog.Servers {
				tools += len(s.Tools)
			}
			for _, p := range w.catalog.Plugins {
				tools += len(p.Tools)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "wrote %d tools to %s (servers: %d, plugin toolsets: %d, core tools: %d)\n",
				tools, output, len(w.catalog.Servers), len(w.catalog.Plugins), len(w.catalog.Core))
			return o.partial(cmd, w)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "`FILE` to write; packed where it ends in .gz; - is standard output")
	return cmd
}

func pack(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	if _, err := zip.Write(data); err != nil {
		return nil, fmt.Errorf("packing the snapshot: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("packing the snapshot: %w", err)
	}
	return buf.Bytes(), nil
}
