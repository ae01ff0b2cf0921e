import { expect, test } from "vitest";
import { negotiateStreamFraming } from "../../../src/protocols/rest/envelope.js";

// RFC 9110, section 12.5.1.
test.each([
  [undefined, "application/json", "application/x-ndjson"],
  ["", "application/json", "application/x-ndjson"],
  ["*/*", "application/json", "application/x-ndjson"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["application/json", "application/json"],
  ["Application/JSON; charset=utf-8", "application/json"],
  ["text/event-stream", "text/event-stream"],
  ["application/*", "application/json", "application/x-ndjson"],
  ["text/*", "text/event-stream"],
  ["application/json, text/plain, */*", "application/json", "application/x-ndjson"],
  ["application/x-ndjson, */*;q=0.9", "application/x-ndjson"],
  ["application/json, */*;q=0.9", "application/json"],
  ["application/json;q=0.5, text/event-stream;q=0.6", "text/event-stream"],
  ["application/json;q=0.5, application/x-ndjson;q=0.5", "application/json", "application/x-ndjson"],
  ["*/*, application/json;q=0", "application/x-ndjson"],
  ["application/*, application/json;q=0.1", "application/x-ndjson"],
  ["application/x-ndjson;q=0", "application/json", "application/x-ndjson"],
  ["application/x-ndjson;q=2", "application/json", "application/x-ndjson"],
  [
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "application/json",
    "application/x-ndjson",
  ],
  ["image/png", "application/json", "application/x-ndjson"],
])("Accept: %s selects %s", (accept, type, inConversation = type) => {
  expect(negotiateStreamFraming(accept).contentType).toBe(type);
  expect(negotiateStreamFraming(accept, { isConversation: true }).contentType).toBe(inConversation);
});

test("a request can ask for server-sent events in another way", () => {
  expect(negotiateStreamFraming("application/json", { wantsEvents: true }).contentType).toBe(
    "text/event-stream",
  );
});
