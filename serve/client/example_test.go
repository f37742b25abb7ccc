package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/oatta/oatta/serve/client"
	"github.com/oatta/oatta/serve/oip"
)

// server starts what `oatta serve --classes deer,fox,none --state FOLDER` is, on a free port.
func server() (address string, stop func()) {
	folder, err := os.MkdirTemp("", "oatta")
	if err != nil {
		log.Fatal(err)
	}
	at, end, err := start("127.0.0.1:0", folder, oip.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return "http://" + at, func() {
		if err := errors.Join(end(), os.RemoveAll(folder)); err != nil {
			log.Fatal(err)
		}
	}
}

// Items of a stream, as they happen.
func Example() {
	address, stop := server()
	defer stop()

	c, err := client.New(address, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for _, probs := range [][]float64{{0.7, 0.2, 0.1}, {0.4, 0.5, 0.1}, {0.6, 0.3, 0.1}} {
		a, err := c.Infer(context.Background(), &client.Request{Model: "filter", Stream: "camera 8", Input: client.Probabilities(probs)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f %s\n", a.Adapted[0], a.Label[0])
	}
	// Output:
	// [0.63 0.23 0.14] deer
	// [0.42 0.46 0.12] fox
	// [0.61 0.29 0.10] deer
}

// A stream that moves to another name, and is forgotten.
func ExampleStreams() {
	address, stop := server()
	defer stop()
	ctx := context.Background()

	c, err := client.New(address, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Infer(ctx, &client.Request{Model: "filter", Stream: "camera 8", Input: client.Probabilities([]float64{0.7, 0.2, 0.1})}); err != nil {
		log.Fatal(err)
	}
	streams := c.Streams("filter")
	snapshot, err := streams.Export(ctx, "camera 8")
	if err != nil {
		log.Fatal(err)
	}
	if err := streams.Import(ctx, "camera 9", snapshot); err != nil {
		log.Fatal(err)
	}
	if err := streams.Forget(ctx, "camera 8"); err != nil {
		log.Fatal(err)
	}
	for s, err := range streams.All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.ID, s.Items)
	}
	var told *client.Error
	if _, err := streams.Show(ctx, "camera 8"); errors.As(err, &told) && told.Status == http.StatusNotFound {
		fmt.Println(told.Text)
	}
	// Output:
	// camera 9 1
	// no stream "camera 8"
}
