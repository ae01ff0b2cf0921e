import type { DataSource } from "../../data-source.js";
import { type Failure, fail, ok, type Result } from "../../result.js";
import { listOf, objectOf, ShapeError, text } from "./json-reader.js";

const anyText = text(/^/, "text");
const someText = text(/./, "text that is not empty");

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
  try {
    const { "countries.json": sources } = sourcesFile(json, "file");
    // The packages do not say when their data is of; their versions stand for that.
    return ok(sources.map((each) => ({ ...each, builtAt: undefined })));
  } catch (error) {
    if (error instanceof ShapeError) {
      return fail("BROKEN_COUNTRY_DATA", error.message);
    }
    throw error;
  }
}
