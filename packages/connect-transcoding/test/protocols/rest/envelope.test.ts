import { expect, test } from "vitest";
import { negotiateStreamFormat } from "../../../src/protocols/rest/envelope.js";

// RFC 9110, section 12.5.1.
test.each([
  [undefined, "application/x-ndjson"],
  ["", "application/x-ndjson"],
  ["*/*", "application/x-ndjson"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["application/json", "application/json"],
  ["Application/JSON; charset=utf-8", "application/json"],
  ["text/event-stream", "text/event-stream"],
  ["application/*", "application/x-ndjson"],
  ["text/*", "text/event-stream"],
  ["application/json, text/plain, */*", "application/x-ndjson"],
  ["application/json, */*;q=0.9", "application/json"],
  ["application/json;q=0.5, text/event-stream;q=0.6", "text/event-stream"],
  ["application/json;q=0.5, application/x-ndjson;q=0.5", "application/x-ndjson"],
  ["*/*, application/x-ndjson;q=0", "application/json"],
  ["application/*, application/x-ndjson;q=0.1", "application/json"],
  ["application/json;q=0", "application/x-ndjson"],
  ["application/json;q=2", "application/x-ndjson"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/x-ndjson"],
  ["image/png", "application/x-ndjson"],
])("Accept: %s selects %s", (accept, type) => {
  expect(negotiateStreamFormat(accept).contentType).toBe(type);
});
