// Prints a Compose file as JSON with all profiles, as `docker compose config` reads it. Arguments: the file (- for standard input)
// and the folder that its paths are relative to. Fails if the file is not valid by the schema of the Compose Specification, or if
// a service names another service, a volume or a secret that does not exist.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file, folder string) error {
	options, err := cli.NewProjectOptions(
		[]string{file},
		cli.WithWorkingDirectory(folder),
		cli.WithProfiles([]string{"*"}),
	)
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(project)
}
