import type { Failure, Result } from "../../result.js";
import type { DataSource } from "../tool.js";
import { anyText, listOf, objectOf, readCountryData, someText, text } from "./json-reader.js";

const source = objectOf<Omit<DataSource, "builtAt">>({
  name: someText,
  publisher: someText,
  url: text(/^https:\/\//, "an https URL"),
  licence: someText,
  attribution: anyText,
  version: someText,
});

const sourcesFile = objectOf({ "countries.json": listOf(source) });

/** Reads what the record of sources, SOURCES.json, has of the country data. The failure says where it is wrong. */
export function parseSources(json: unknown): Result<readonly DataSource[], Failure<"BROKEN_COUNTRY_DATA">> {
  return readCountryData(() => {
    const { "countries.json": sources } = sourcesFile(json, "file");
    // The packages do not say when their data is of; their versions stand for that.
    return sources.map((each) => ({ ...each, builtAt: undefined }));
  });
}
