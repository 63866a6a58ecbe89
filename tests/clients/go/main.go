// go-client [--at-once] URL…: asks with net/http; built without cgo, so that names are looked up by Go itself.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
)

func ask(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return fmt.Sprint(response.StatusCode, " ", string(body)), err
}

func atOnce(urls []string) ([]string, []error) {
	answers, errs := make([]string, len(urls)), make([]error, len(urls))
	var group sync.WaitGroup
	for index, url := range urls {
		group.Add(1)
		go func(index int, url string) {
			defer group.Done()
			answers[index], errs[index] = ask(url)
		}(index, url)
	}
	group.Wait()
	return answers, errs
}

func show(answer string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(answer)
}

func main() {
	urls := os.Args[1:]
	if urls[0] == "--at-once" {
		answers, errs := atOnce(urls[1:])
		for index := range answers {
			show(answers[index], errs[index])
		}
		return
	}
	for _, url := range urls {
		show(ask(url))
	}
}
