// Package view is `oatta view`: results looked at and corrected in a browser on the same machine.
package view
