// Calls every operation with the client that oapi-codegen generates, and prints a report as report.ts does.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"slices"

	api "utility-tools/checks/clients/openapi/utilitytools"
)

// A report is what the client has received, by operation.
type report map[string]any

const email = "Jane.Doe+news@GoogleMail.com"

func main() {
	url, key := os.Getenv("UTILITY_TOOLS_URL"), os.Getenv("UTILITY_TOOLS_API_KEY")
	ctx := context.Background()
	client := must(api.NewClientWithResponses(url, api.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			request.Header.Set("X-Forwarded-For", "8.8.8.8")
			return nil
		})))

	located := must(client.GeoIpLookupIpWithResponse(ctx, &api.GeoIpLookupIpParams{IpAddress: "8.8.8.8"})).JSON200
	full := api.GeoIpLookupSelfParamsViewFull
	self := must(client.GeoIpLookupSelfWithResponse(ctx, &api.GeoIpLookupSelfParams{View: &full})).JSON200
	explained := must(client.EmailExplainEmailWithResponse(ctx, api.ExplainEmailRequest{Email: email})).JSON200
	rules := []string{explained.Email}
	for _, step := range explained.Steps {
		rules = append(rules, string(step.Rule))
	}
	about := must(client.AboutGetAboutWithResponse(ctx)).JSON200
	licenses := []string{}
	for _, source := range about.Sources {
		licenses = append(licenses, source.License)
	}
	reserved := must(client.GeoIpLookupIpWithResponse(ctx, &api.GeoIpLookupIpParams{IpAddress: "10.0.0.1"})).JSON404
	invalid := must(client.EmailExplainEmailWithResponse(ctx, api.ExplainEmailRequest{Email: "nobody"})).JSON400

	all := report{
		"otp":                      otp(ctx, client),
		"countries":                countries(ctx, client),
		"countriesSearchCountries": search(ctx, client),
		"geoIpLookupIp":            []any{located.Ip, located.Metadata.Location.Country, located.Metadata.Asn},
		"geoIpLookupSelf":          []any{self.Ip, self.Metadata.Location.Country, self.Metadata.Asn, self.Metadata.Details.City},
		"geoIpBatchLookupIps":      lookUpAll(ctx, client),
		"emailSanitizeEmail":       sanitize(ctx, client),
		"emailExplainEmail":        rules,
		"emailBatchSanitizeEmails": sanitizeAll(ctx, client),
		"barcodeRenderBarcode":     report{"svg": image(ctx, client, api.Svg), "png": image(ctx, client, api.Png)},
		"aboutGetAbout":            report{"version": about.Version, "licenses": licenses},
		"errors":                   []any{describe(reserved), describe(invalid)},
		"patterns":                 wrongPatterns(ctx, url),
	}
	fmt.Println(string(must(json.Marshal(all))))
}

func otp(ctx context.Context, client *api.ClientWithResponses) report {
	label, issuer, digits := "jane@example.com", "Example", api.GenerateOtpBodyDigitsN8
	var body api.OtpBody
	check(body.FromGenerateOtpBody(api.GenerateOtpBody{
		Type: api.GenerateOtpBodyTypeTimeBased, Action: api.Generate, Label: &label, Issuer: &issuer, Digits: &digits,
	}))
	generated := must(must(client.OtpWithResponse(ctx, body)).JSON200.AsGenerateOtpResponse())

	sameDigits := api.VerifyOtpBodyDigits(generated.Digits)
	check(body.FromVerifyOtpBody(api.VerifyOtpBody{
		Type: api.VerifyOtpBodyTypeTimeBased, Action: api.Verify, Secret: generated.Secret, Digits: &sameDigits,
	}))
	verified := must(must(client.OtpWithResponse(ctx, body)).JSON200.AsVerifyOtpResponse())
	times := []string{}
	for time := range verified.OtpCodes {
		times = append(times, time)
	}
	slices.Sort(times)
	return report{
		"generated": []any{generated.Algorithm, generated.Digits, generated.Period, generated.Label, generated.Issuer},
		"secret":    generated.Secret, "isSameSecret": verified.Secret == generated.Secret,
		"code": verified.OtpCodes["current"], "times": times,
	}
}

func countries(ctx context.Context, client *api.ClientWithResponses) report {
	code := "fr"
	list := must(must(client.CountriesWithResponse(ctx, &api.CountriesParams{})).JSON200.AsListCountriesResult())
	france := must(must(client.CountriesWithResponse(ctx, &api.CountriesParams{Country: &code})).JSON200.AsCountry())
	return report{"count": len(list), "first": list[0].Code3, "capital": france.Capital}
}

func search(ctx context.Context, client *api.ClientWithResponses) []any {
	limit := int32(1)
	params := api.CountriesSearchCountriesParams{Query: "bayern", Limit: &limit}
	found := []any{}
	for _, match := range *must(client.CountriesSearchCountriesWithResponse(ctx, &params)).JSON200 {
		found = append(found, match.Value, match.Kind, match.Country.Code3, match.State.Code)
	}
	return found
}

func lookUpAll(ctx context.Context, client *api.ClientWithResponses) []string {
	found := []string{}
	request := api.BatchLookupIpsRequest{IpAddresses: []string{"1.1.1.1", "10.0.0.1", "nonsense"}}
	for _, result := range must(client.GeoIpBatchLookupIpsWithResponse(ctx, request)).JSON200.Results {
		if failure := must(result.AsIpLookupError()).Error; failure.Reason != "" {
			found = append(found, failure.Reason)
		} else {
			found = append(found, must(result.AsIpLookupAnswer()).Answer.Metadata.AsnName)
		}
	}
	return found
}

func sanitize(ctx context.Context, client *api.ClientWithResponses) report {
	format := api.Json
	asText := must(client.EmailSanitizeEmailWithResponse(ctx, api.SanitizeEmailBody{Email: email}))
	asJSON := must(client.EmailSanitizeEmailWithResponse(ctx, api.SanitizeEmailBody{Email: email, Format: &format}))
	return report{"text": string(asText.Body), "json": asJSON.JSON200.Email}
}

func sanitizeAll(ctx context.Context, client *api.ClientWithResponses) []string {
	found := []string{}
	request := api.BatchSanitizeEmailsRequest{Emails: []string{email, "nobody"}}
	for _, result := range must(client.EmailBatchSanitizeEmailsWithResponse(ctx, request)).JSON200.Results {
		if failure := must(result.AsSanitizedEmailError()).Error; failure.Reason != "" {
			found = append(found, failure.Reason)
		} else {
			found = append(found, must(result.AsSanitizedEmailAnswer()).Answer.Email)
		}
	}
	return found
}

func image(ctx context.Context, client *api.ClientWithResponses, format api.BarcodeRenderBarcodeParamsFormat) string {
	params := api.BarcodeRenderBarcodeParams{Type: api.QrCode, Data: "https://example.com/", Format: &format}
	digest := sha256.Sum256(must(client.BarcodeRenderBarcodeWithResponse(ctx, &params)).Body)
	return hex.EncodeToString(digest[:])
}

func describe(failure *api.Error) report {
	described := report{"code": failure.Error.Code, "reason": "", "range": "", "fields": [][]string{}}
	for _, detail := range failure.Error.Details {
		switch each := must(detail.ValueByDiscriminator()).(type) {
		case api.ErrorInfo:
			described["reason"] = each.Reason
			if each.Metadata != nil {
				described["range"] = (*each.Metadata)["range"]
			}
		case api.BadRequest:
			fields := [][]string{}
			for _, violation := range each.FieldViolations {
				fields = append(fields, []string{violation.Field, violation.Reason})
			}
			described["fields"] = fields
		}
	}
	return described
}

// wrongPatterns returns the patterns of the document that are invalid here, or do not match their examples.
func wrongPatterns(ctx context.Context, url string) []string {
	request := must(http.NewRequestWithContext(ctx, http.MethodGet, url+"/openapi.json", nil))
	response := must(http.DefaultClient.Do(request))
	defer response.Body.Close()
	var document any
	check(json.NewDecoder(response.Body).Decode(&document))
	return wrongPatternsIn(document)
}

func wrongPatternsIn(value any) []string {
	wrong := []string{}
	switch value := value.(type) {
	case []any:
		for _, each := range value {
			wrong = append(wrong, wrongPatternsIn(each)...)
		}
	case map[string]any:
		if pattern, isText := value["pattern"].(string); isText {
			expression, err := regexp.Compile(pattern)
			examples, _ := value["examples"].([]any)
			isWrong := func(example any) bool { return !expression.MatchString(example.(string)) }
			if err != nil || slices.ContainsFunc(examples, isWrong) {
				wrong = append(wrong, pattern)
			}
		}
		for _, each := range value {
			wrong = append(wrong, wrongPatternsIn(each)...)
		}
	}
	return wrong
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
