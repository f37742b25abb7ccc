package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// sbom writes what the program is made of, read from the program itself, as CycloneDX.
func (m maker) sbom(ctx context.Context, program string, t target) error {
	to := filepath.Join(m.dir, "oatta-"+m.version+"-"+t.os+"-"+t.arch+".cdx.json")
	cmd := exec.CommandContext(ctx, "go", "tool", "-modfile="+filepath.Join(m.root, "internal", "tools", "go.mod"), "cyclonedx-gomod", "bin",
		"-json", "-std", "-noserial", "-notimestamp", "-output-version", "1.6", "-version", "v"+m.version, "-output", to, program)
	cmd.Dir, cmd.Env = m.root, append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cyclonedx-gomod: %w\n%s", err, out)
	}
	return withoutToolHashes(to)
}

// withoutToolHashes takes the hashes of the tool out of a bill, which differ with the machine that built the tool.
func withoutToolHashes(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var bill map[string]any
	if err := json.Unmarshal(data, &bill); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	metadata, _ := bill["metadata"].(map[string]any)
	tools, _ := metadata["tools"].([]any)
	for _, tool := range tools {
		if fields, ok := tool.(map[string]any); ok {
			delete(fields, "hashes")
		}
	}
	data, err = json.MarshalIndent(bill, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o644)
}
