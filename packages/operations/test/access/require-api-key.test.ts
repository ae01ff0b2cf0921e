import { Code, type ConnectError } from "@connectrpc/connect";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/access/api-keys.js";
import { keyFromHeaders, requireApiKey } from "../../src/access/require-api-key.js";
import type { RequestKind } from "../../src/request-kind.js";
import { ACCESS_NAMES } from "./access-names.js";
import { accessRequest, reasonOf, rejectionOf } from "./access-request.js";

describe("keyFromHeaders", () => {
  const NONE = { form: "none" };
  const MALFORMED = { form: "malformed" };
  const key = (text: string) => ({ form: "key", key: text });

  describe("Authorization", () => {
    test.each([
      [undefined, NONE],
      ["", NONE],
      ["Bearer abc", key("abc")],
      // Schemes are case-insensitive: RFC 9110, section 11.1.
      ["bearer abc", key("abc")],
      ["BEARER abc", key("abc")],
      // 1*SP: RFC 9110, section 11.4.
      ["Bearer   abc", key("abc")],
      ["Bearer abc ", key("abc")],
      ["Bearer abc\xa0", MALFORMED],
      ["\xa0Bearer abc", NONE],
      // RFC 6750, section 2.1, example.
      ["Bearer mF_9.B5f-4.1JqM", key("mF_9.B5f-4.1JqM")],
      ["Bearer a+/~==", key("a+/~==")],
      ["Bearer", NONE],
      ["Bearer ", NONE],
      ["Bearer\tabc", NONE],
      ["Basic YTpi", NONE],
      ["Bearerabc", NONE],
      ["abc", NONE],
      ["Bearer a b", MALFORMED],
      ["Bearer a,b", MALFORMED],
      ["Bearer a, Bearer a", MALFORMED],
      ["Bearer =", MALFORMED],
      ["Bearer a=b", MALFORMED],
      ["Bearer ä", MALFORMED],
      [`Bearer ${"a".repeat(505)}`, key("a".repeat(505))],
      [`Bearer ${"a".repeat(506)}`, MALFORMED],
      [`Basic ${"a".repeat(600)}`, NONE],
    ])("%j", (authorization, sent) => {
      expect(keyFromHeaders(authorization, undefined)).toEqual(sent);
    });
  });

  describe("X-API-Key", () => {
    test.each([
      ["", NONE],
      ["  ", NONE],
      ["abc", key("abc")],
      [" abc ", key("abc")],
      ["\tabc\t", key("abc")],
      ["abc\xa0", MALFORMED],
      ["a, a", MALFORMED],
      ["a b", MALFORMED],
      ["Bearer abc", MALFORMED],
      ["a".repeat(512), key("a".repeat(512))],
      ["a".repeat(513), MALFORMED],
    ])("%j", (xApiKey, sent) => {
      expect(keyFromHeaders(undefined, xApiKey)).toEqual(sent);
    });
  });

  describe("both", () => {
    test.each([
      ["Bearer abc", "abc", key("abc")],
      ["Bearer abc", "abd", MALFORMED],
      ["Bearer a b", "abc", MALFORMED],
      ["Bearer abc", "a b", MALFORMED],
      ["Basic YTpi", "abc", key("abc")],
      ["Bearer", "abc", key("abc")],
      ["Bearer abc", "", key("abc")],
      ["Basic YTpi", "a b", MALFORMED],
    ])("%j and %j", (authorization, xApiKey, sent) => {
      expect(keyFromHeaders(authorization, xApiKey)).toEqual(sent);
    });
  });

  test("a key is never too long and never has a comma", () => {
    const header = fc.option(
      fc.oneof(
        fc.string({ maxLength: 600 }),
        fc.string({ unit: ANY_CHARACTER, maxLength: 600 }).map((text) => `Bearer ${text}`),
        fc.stringMatching(/^[Bb]earer {1,3}[\x20-\x7e]{0,10}$/),
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(header, header, (authorization, xApiKey) => {
        const sent = keyFromHeaders(authorization, xApiKey);
        if (sent.form === "key") {
          expect(sent.key).toMatch(/^[\x21-\x2b\x2d-\x7e]{1,512}$/);
          expect([authorization, xApiKey].some((header) => header?.includes(sent.key))).toBe(true);
        }
      }),
    );
  });
});

describe("requireApiKey", () => {
  const KEYS = new Map(["alice", "bob", "carol"].map((name) => [digestOf(`ut_${name}`), { name }]));
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

  /** The code, reason and message of an error. */
  const summary = (error: ConnectError | undefined) =>
    error && { code: error.code, reason: reasonOf(error), message: error.rawMessage };

  const CHALLENGE = 'Bearer realm="utility-tools"';
  /** The value of Vary in responses that depend on the key. */
  const VARY = "authorization, x-api-key";

  const onRequest = requireApiKey({ keys: () => KEYS, realm: ACCESS_NAMES.realm, openAreas: [] });

  describe("accepts", () => {
    test.each([
      ["a bearer", { authorization: "Bearer ut_alice" }, "alice"],
      ["an X-API-Key", { "x-api-key": "ut_bob" }, "bob"],
      [
        "the last of the keys in both",
        { authorization: "bearer ut_carol", "x-api-key": "ut_carol" },
        "carol",
      ],
    ])("%s", (_, headers, name) => {
      const request = accessRequest({ headers });
      expect(rejectionOf(onRequest, request)).toBeUndefined();
      expect(request.principal).toBe(name);
      expect(request.added).toEqual({ vary: VARY });
    });
  });

  describe("rejects", () => {
    test.each([
      ["no key", {}, MISSING, CHALLENGE],
      ["another scheme", { authorization: "Basic YTpi" }, MISSING, CHALLENGE],
      ["an unknown key", { "x-api-key": "ut_dave" }, INVALID],
      ["a digest in place of its key", { "x-api-key": digestOf("ut_bob") }, INVALID],
      ["a name", { "x-api-key": "alice" }, INVALID],
      ["the start of a key", { "x-api-key": "ut_alic" }, INVALID],
      ["two keys", { "x-api-key": "ut_alice", authorization: "Bearer ut_bob" }, INVALID],
      ["a key twice in one header", { "x-api-key": "ut_alice, ut_alice" }, INVALID],
      [
        "a valid key beside a malformed one",
        { "x-api-key": "ut_alice", authorization: "Bearer a b" },
        INVALID,
      ],
    ])("%s", (_, headers, error, challenge = `${CHALLENGE}, error="invalid_token"`) => {
      const request = accessRequest({ headers });
      const rejection = rejectionOf(onRequest, request);
      expect(summary(rejection)).toEqual(error);
      expect(request.principal).toBeUndefined();
      expect(request.added).toEqual({ vary: VARY, "www-authenticate": challenge });
      const details = rejection?.details.map(({ value }) => value);
      expect(JSON.stringify([rejection?.message, rejection?.stack, details])).not.toContain("ut_");
    });

    test("every key if the file has none", () => {
      const closed = requireApiKey({ keys: () => new Map(), realm: ACCESS_NAMES.realm, openAreas: [] });
      expect(summary(rejectionOf(closed, accessRequest({ headers: { "x-api-key": "ut_alice" } })))).toEqual(
        INVALID,
      );
    });
  });

  test("reads the current keys for each request", () => {
    let keys = KEYS;
    const changing = requireApiKey({ keys: () => keys, realm: ACCESS_NAMES.realm, openAreas: [] });
    const reason = () =>
      summary(rejectionOf(changing, accessRequest({ headers: { "x-api-key": "ut_alice" } })))?.reason;
    expect(reason()).toBeUndefined();
    keys = new Map([...KEYS].slice(1));
    expect(reason()).toBe("API_KEY_INVALID");
  });

  test("rejects a key from its expiry on, and tells the names of accepted keys", () => {
    const checks: unknown[] = [];
    let time = 999;
    const expiring = requireApiKey({
      keys: () => new Map([[digestOf("ut_alice"), { name: "alice", expiresAt: 1_000 }]]),
      realm: ACCESS_NAMES.realm,
      openAreas: [],
      onCheck: (...check) => checks.push(check),
      now: () => time,
    });
    const reason = () =>
      reasonOf(rejectionOf(expiring, accessRequest({ headers: { "x-api-key": "ut_alice" } })));
    expect(reason()).toBeUndefined();
    time = 1_000;
    expect(reason()).toBe("API_KEY_INVALID");
    expect(checks).toEqual([["accepted", "alice"], ["refused"]]);
  });

  describe("open kinds of requests", () => {
    const kinds: readonly RequestKind[] = ["service", "health", "reflection", "docs", "metrics"];
    test.each([
      [[], ["health"]],
      [["docs"], ["health", "docs"]],
      [
        ["docs", "reflection", "metrics"],
        ["health", "reflection", "docs", "metrics"],
      ],
    ] as [RequestKind[], RequestKind[]][])("%j besides health", (openAreas, open) => {
      const opened = requireApiKey({ keys: () => KEYS, realm: ACCESS_NAMES.realm, openAreas });
      expect(kinds.filter((kind) => rejectionOf(opened, accessRequest({ kind })) === undefined)).toEqual(
        open,
      );
    });

    test.each([
      ["a valid key sets the principal", "ut_bob", "bob"],
      ["an unknown key is ignored", "ut_dave", undefined],
      ["a malformed key is ignored", "a, b", undefined],
    ])("%s", (_, key, name) => {
      const request = accessRequest({ kind: "health", headers: { "x-api-key": key } });
      expect(rejectionOf(onRequest, request)).toBeUndefined();
      expect(request.principal).toBe(name);
      expect(request.added).toEqual({});
    });
  });

  test("opens the pages that the server names, and says if they depend on `Accept`", () => {
    const openPages = {
      has: ({ path }: { readonly path: string }) => path === "/open",
      dependsOnAccept: ({ path }: { readonly path: string }) => path !== "/other",
    };
    const onRequest = requireApiKey({
      keys: () => KEYS,
      realm: ACCESS_NAMES.realm,
      openAreas: [],
      openPages,
    });
    const page = (path: string) => accessRequest({ path, protocol: "page" });
    const [open, closed, other] = [page("/open"), page("/closed"), page("/other")];
    expect(rejectionOf(onRequest, open)).toBeUndefined();
    expect(summary(rejectionOf(onRequest, closed))).toEqual(MISSING);
    expect(summary(rejectionOf(onRequest, other))).toEqual(MISSING);
    expect([open, closed, other].map(({ added }) => added.vary)).toEqual(["accept", `accept, ${VARY}`, VARY]);
  });
});
