// Prints a Compose file as JSON with all profiles, as `docker compose config` reads it. Arguments: the file (- for standard input)
// and the folder that its paths are relative to. Fails if the file is not valid by the schema of the Compose Specification, or if
// a service names another service, a volume or a secret that does not exist.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	file, folder := os.Args[1], os.Args[2]
	profiles := cli.WithProfiles([]string{"*"})
	options := must(cli.NewProjectOptions([]string{file}, cli.WithWorkingDirectory(folder), profiles))
	project := must(options.LoadProject(context.Background()))
	os.Stdout.Write(must(json.Marshal(project)))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
