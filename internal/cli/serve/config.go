package serve

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v4"

	"github.com/oatta/oatta/internal/cli/files"
)

// maxConfig bounds the bytes of a file of settings.
const maxConfig = 1 << 20

// modelsKey names the list of models that have settings of their own, in the place of a flag.
const modelsKey = "models"

// own is a model of the file: where it is, and what flags say of it alone.
type own map[string][]string

// readConfig gives flags that are not set the values of the file, and returns its models.
func readConfig(c *cli.Context) ([]own, error) {
	path := c.String("config")
	if path == "" {
		return nil, nil
	}
	data, err := files.ReadBounded(path, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	models, err := applyConfig(c, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return models, nil
}

func applyConfig(c *cli.Context, data []byte) (models []own, err error) {
	var settings map[string]yaml.Node
	if err := yaml.Unmarshal(data, &settings); err != nil {
		return nil, err
	}
	given := c.FlagNames()
	for name, node := range settings {
		if name == modelsKey {
			if models, err = ownModels(&node); err != nil {
				return nil, err
			}
			continue
		}
		if !hasFlag(c.Command.Flags, name) || name == "config" {
			return nil, fmt.Errorf("line %d: %s: no such setting", node.Line, name)
		}
		values, err := valuesOf(name, &node)
		if err != nil {
			return nil, err
		}
		if slices.Contains(given, name) {
			continue
		}
		for _, v := range values {
			if err := c.Set(name, v); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", node.Line, name, err)
			}
		}
	}
	return models, nil
}

func hasFlag(flags []cli.Flag, name string) bool {
	return slices.ContainsFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == name })
}

// valuesOf are the words of a setting: one, or those of a list.
func valuesOf(name string, node *yaml.Node) (out []string, err error) {
	switch node.Kind {
	case yaml.ScalarNode:
		return []string{node.Value}, nil
	case yaml.SequenceNode:
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: %s: want a value, or a list of values", item.Line, name)
			}
			out = append(out, item.Value)
		}
		return out, nil
	}
	return nil, fmt.Errorf("line %d: %s: want a value, or a list of values", node.Line, name)
}

// ownModels reads the list of models.
func ownModels(node *yaml.Node) (out []own, err error) {
	var list []map[string]yaml.Node
	if err := node.Load(&list); err != nil {
		return nil, fmt.Errorf("%s: want a list of settings for each model: %w", modelsKey, err)
	}
	for i, m := range list {
		one := own{}
		for name, node := range m {
			if one[name], err = valuesOf(name, &node); err != nil {
				return nil, fmt.Errorf("%s: model %d: %w", modelsKey, i+1, err)
			}
		}
		if len(one["model"]) != 1 {
			return nil, errors.New(modelsKey + ": each wants one model: a name, or a path, as of -m")
		}
		out = append(out, one)
	}
	return out, nil
}
