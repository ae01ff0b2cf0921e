// Makes the calls of a file with the client that oapi-codegen generates, by reflection, and prints the status and the data of each response.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	api "utility-tools/checks/clients/openapi/utilitytools"
)

type pattern struct {
	Pattern  string
	Examples []string
}

type call struct {
	OperationId string
	Query, Body json.RawMessage
}

func main() {
	url, key := os.Getenv("UTILITY_TOOLS_URL"), os.Getenv("UTILITY_TOOLS_API_KEY")
	client := must(api.NewClientWithResponses(url, api.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			request.Header.Set("X-Forwarded-For", "8.8.8.8")
			return nil
		})))
	var calls []call
	check(json.Unmarshal(must(os.ReadFile(os.Args[1])), &calls))
	for _, each := range calls {
		fmt.Println(string(must(json.Marshal(send(client, each)))))
	}
	var patterns []pattern
	check(json.Unmarshal(must(os.ReadFile(os.Args[2])), &patterns))
	wrong := slices.DeleteFunc(patterns, pattern.isRight)
	fmt.Println(string(must(json.Marshal(wrong))))
}

// send calls the method of an operation with arguments of its types.
func send(client *api.ClientWithResponses, each call) map[string]any {
	name := strings.ToUpper(each.OperationId[:1]) + each.OperationId[1:] + "WithResponse"
	method := reflect.ValueOf(client).MethodByName(name)
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	for index := 1; index < method.Type().NumIn()-1; index++ {
		// Parameters are a pointer, bodies are not.
		kind := method.Type().In(index)
		if kind.Kind() == reflect.Pointer {
			value := reflect.New(kind.Elem())
			check(json.Unmarshal(each.Query, value.Interface()))
			arguments = append(arguments, value)
		} else {
			value := reflect.New(kind)
			check(json.Unmarshal(each.Body, value.Interface()))
			arguments = append(arguments, value.Elem())
		}
	}
	results := method.Call(arguments)
	if err, isError := results[1].Interface().(error); isError {
		log.Fatal(err)
	}
	response := results[0].Elem()
	status := response.FieldByName("HTTPResponse").Interface().(*http.Response).StatusCode
	found := map[string]any{"status": status}
	if value := response.FieldByName(fmt.Sprintf("JSON%d", status)); value.IsValid() && !value.IsNil() {
		checkUnions(value)
		found["value"] = value.Interface()
	} else {
		found["body"] = response.FieldByName("Body").Bytes()
	}
	return found
}

// checkUnions fails if the discriminator of a union selects no type.
func checkUnions(value reflect.Value) {
	if value.CanInterface() {
		if union, isUnion := value.Interface().(interface{ ValueByDiscriminator() (any, error) }); isUnion {
			must(union.ValueByDiscriminator())
		}
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			checkUnions(value.Elem())
		}
	case reflect.Slice:
		for index := range value.Len() {
			checkUnions(value.Index(index))
		}
	case reflect.Struct:
		for index := range value.NumField() {
			checkUnions(value.Field(index))
		}
	}
}

// isRight returns whether a pattern is valid here, and matches its examples.
func (p pattern) isRight() bool {
	expression, err := regexp.Compile(p.Pattern)
	isWrong := func(example string) bool { return !expression.MatchString(example) }
	return err == nil && !slices.ContainsFunc(p.Examples, isWrong)
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
