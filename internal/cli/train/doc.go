// Package train is `oatta train`: labelled streams to a folder with a model that `oatta run` takes.
package train
