// Calls the service with the client that ogen generates, and prints the responses.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	api "utility-tools/checks/clients/openapi-ogen/service"
)

// transport adds the API key.
type transport struct{}

func (transport) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("UTILITY_TOOLS_API_KEY"))
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	httpClient := &http.Client{Transport: transport{}}
	client, err := api.NewClient(os.Getenv("UTILITY_TOOLS_URL"), api.WithClient(httpClient))
	check(err)
	for _, country := range []string{"JP", "ZZ"} {
		response, err := client.Countries(context.Background(), api.CountriesParams{Country: api.NewOptString(country)})
		check(err)
		switch found := response.(type) {
		case *api.CountriesResultHeaders:
			print("200", found.Response.Country.Name)
		case *api.CountriesNotFound:
			print("404", found.Error.Details[0].Reason.Value)
		default:
			log.Fatalf("%T", found)
		}
	}
}

func print(values ...string) {
	text, err := json.Marshal(values)
	check(err)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
