import { Code } from "@connectrpc/connect";
import type { Area } from "connect-transcoding";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../src/service/access/api-key.js";
import { requireApiKey } from "../../../src/service/access/require-api-key.js";
import { atOnce, incomingRequest } from "./request.js";

const KEYS = ["alice", "bob", "carol"].map((name) => ({ name, digest: digestOf(`ut_${name}`) }));
const MISSING = {
  code: Code.Unauthenticated,
  reason: "API_KEY_MISSING",
  message: "an API key is needed: send it in the header Authorization: Bearer <key>, or X-API-Key: <key>",
};
const INVALID = {
  code: Code.Unauthenticated,
  reason: "API_KEY_INVALID",
  message:
    "the API key is not valid: send it in the header Authorization: Bearer <key>, or X-API-Key: <key>, one key and once",
};

/** What a cache that knows nothing of the rule is told with each answer that depends on it. */
const VARY = "authorization, x-api-key";

const rule = requireApiKey({ keys: () => KEYS, openAreas: [] });

describe("lets in, by name,", () => {
  test.each([
    ["a bearer", { authorization: "Bearer ut_alice" }, "alice"],
    ["an X-API-Key", { "x-api-key": "ut_bob" }, "bob"],
    ["the last of the keys in both", { authorization: "bearer ut_carol", "x-api-key": "ut_carol" }, "carol"],
  ])("%s", (_, headers, name) => {
    const request = incomingRequest({ headers });
    expect(atOnce(rule(request))).toBeUndefined();
    expect(request.principal).toBe(name);
    expect(request.added).toEqual({ vary: VARY });
  });
});

describe("refuses", () => {
  test.each([
    ["no key", {}, MISSING, 'Bearer realm="utility-tools"'],
    ["another scheme", { authorization: "Basic YTpi" }, MISSING, 'Bearer realm="utility-tools"'],
    [
      "an unknown key",
      { "x-api-key": "ut_dave" },
      INVALID,
      'Bearer realm="utility-tools", error="invalid_token"',
    ],
    ["a digest in place of its key", { "x-api-key": digestOf("ut_bob").toString("hex") }, INVALID],
    ["a name", { "x-api-key": "alice" }, INVALID],
    ["the start of a key", { "x-api-key": "ut_alic" }, INVALID],
    ["two keys", { "x-api-key": "ut_alice", authorization: "Bearer ut_bob" }, INVALID],
    ["a key twice in one header", { "x-api-key": "ut_alice, ut_alice" }, INVALID],
    ["a valid key beside a malformed one", { "x-api-key": "ut_alice", authorization: "Bearer a b" }, INVALID],
  ])("%s", (_, headers, error, challenge = 'Bearer realm="utility-tools", error="invalid_token"') => {
    const request = incomingRequest({ headers });
    const answer = atOnce(rule(request));
    expect(answer).toMatchObject(error);
    expect(request.principal).toBeUndefined();
    expect(request.added).toEqual({ vary: VARY, "www-authenticate": challenge });
    expect(JSON.stringify([answer, answer?.stack])).not.toContain("ut_");
  });

  test("everybody when there are no keys", () => {
    const closed = requireApiKey({ keys: () => [], openAreas: [] });
    expect(atOnce(closed(incomingRequest({ headers: { "x-api-key": "ut_alice" } })))).toMatchObject(INVALID);
  });
});

test("keys are looked up anew for each request", () => {
  let keys = KEYS;
  const changing = requireApiKey({ keys: () => keys, openAreas: [] });
  const ask = () => atOnce(changing(incomingRequest({ headers: { "x-api-key": "ut_alice" } })))?.reason;
  expect(ask()).toBeUndefined();
  keys = KEYS.slice(1);
  expect(ask()).toBe("API_KEY_INVALID");
});

describe("open areas", () => {
  const areas: readonly Area[] = ["service", "health", "reflection", "docs", "metrics"];
  test.each([
    [[], ["health"]],
    [["docs"], ["health", "docs"]],
    [
      ["docs", "reflection", "metrics"],
      ["health", "reflection", "docs", "metrics"],
    ],
  ] as [Area[], Area[]][])("%j besides health", (openAreas, open) => {
    const opened = requireApiKey({ keys: () => KEYS, openAreas });
    expect(areas.filter((area) => atOnce(opened(incomingRequest({ area }))) === undefined)).toEqual(open);
  });

  test.each([
    ["a valid key gives a name", "ut_bob", "bob"],
    ["one that is not valid is as good as none", "ut_dave", undefined],
    ["a malformed one is as good as none", "a, b", undefined],
  ])("%s", (_, key, name) => {
    const request = incomingRequest({ area: "health", headers: { "x-api-key": key } });
    expect(atOnce(rule(request))).toBeUndefined();
    expect(request.principal).toBe(name);
    expect(request.added).toEqual({});
  });
});
