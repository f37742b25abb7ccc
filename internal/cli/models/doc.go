// Package models holds the commands that list, inspect, build, convert and export models.
package models
