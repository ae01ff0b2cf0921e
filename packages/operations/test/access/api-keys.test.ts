import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, type ConnectError } from "@connectrpc/connect";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type ApiKeysReload,
  digestOf,
  keyFromHeaders,
  loadApiKeys,
  makeApiKey,
  parseApiKeys,
  requireApiKey,
} from "../../src/access/api-keys.js";
import { watchFiles } from "../../src/files/data-files.js";
import type { RequestKind } from "../../src/request-kind.js";
import { ACCESS_NAMES } from "./access-names.js";
import { accessRequest, reasonOf, rejectionOf } from "./access-request.js";

describe("makeApiKey", () => {
  test("returns 32 random bytes in base64url, and a line with their SHA-256", () => {
    const key = `ut_${"-_v7".repeat(10)}-_s`;
    const made = makeApiKey("ci", (size) =>
      Buffer.from("-_v7".repeat(10).concat("-_s"), "base64url").subarray(0, size),
    );
    const sha256 = createHash("sha256").update(key).digest("hex");
    expect(made).toEqual({ ok: true, value: { key, line: `ci ${sha256}` } });
  });

  test("the line is valid in the file, and the key in requests", () => {
    const made = makeApiKey("ci", randomBytes);
    const parsed = parseApiKeys(made.ok ? made.value.line : "");
    expect(parsed.ok && [...parsed.value.values()]).toEqual([{ name: "ci", expiresAt: undefined }]);
    expect(made.ok && keyFromHeaders(`Bearer ${made.value.key}`, undefined)).toMatchObject({ form: "key" });
  });

  const KEY = `ut_${"-_v7".repeat(10)}-_s`;

  test.each(["", "a b", "#a", "a".repeat(65), "ä", "a\n", KEY, `a.${KEY}`])("rejects the name %j", (name) => {
    expect(makeApiKey(name, randomBytes)).toMatchObject({
      ok: false,
      failure: { reason: "INVALID_KEY_NAME" },
    });
  });
});

describe("parseApiKeys", () => {
  const [A, B, C] = [digestOf("a"), digestOf("b"), digestOf("c")];

  /** FIPS 180-4's SHA-256 of "abc": https://csrc.nist.gov/csrc/media/projects/cryptographic-standards-and-guidelines/documents/examples/sha256.pdf */
  const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  const problems = (text: string) => {
    const parsed = parseApiKeys(text);
    return parsed.ok ? undefined : parsed.failure.description;
  };

  test("reads names and digests", () => {
    expect(parseApiKeys(`alice ${ABC}`)).toEqual({
      ok: true,
      value: new Map([[digestOf("abc"), { name: "alice", expiresAt: undefined }]]),
    });
  });

  test.each([
    ["nothing", "", []],
    ["comments and empty lines alone", "# keys\n\n   \n\t# more\n", []],
    ["a byte order mark and CRLF", `\uFEFFa ${A}\r\n\r\nb ${B}\r\n`, ["a", "b"]],
    ["tabs and spaces around and between", `\t a \t ${A}  `, ["a"]],
    ["capital digits", `a ${A.toUpperCase()}`, ["a"]],
    ["two keys of a name", `a ${A}\na ${B}`, ["a", "a"]],
    [
      "the longest name, of every kind of character",
      `${"aZ9._-".padEnd(64, "x")} ${A}`,
      ["aZ9._-".padEnd(64, "x")],
    ],
  ])("accepts %s", (_, text, names) => {
    const parsed = parseApiKeys(text);
    expect(parsed.ok && [...parsed.value.values()].map(({ name }) => name)).toEqual(names);
  });

  const FORM =
    "must be a name (1 to 64 of A-Z a-z 0-9 . _ -), a space and a SHA-256 in 64 hexadecimal digits";

  const EXPIRY =
    "must have nothing after the SHA-256, or a date or a time in UTC, such as 2027-01-31 or 2027-01-31T12:00:00Z";

  test.each([
    ["no hash", "a", `line 1 ${FORM}`],
    ["a hash alone", A, `line 1 ${FORM}`],
    ["a hash that is too short", `a ${A.slice(1)}`, `line 1 ${FORM}`],
    ["a hash that is too long", `a ${A}0`, `line 1 ${FORM}`],
    ["text after the hash", `a ${A} x`, `line 1 ${EXPIRY}`],
    ["text after the expiry", `a ${A} 2027-01-31 x`, `line 1 ${EXPIRY}`],
    ["a date that does not exist", `a ${A} 2027-02-30`, `line 1 ${EXPIRY}`],
    ["a time in another zone", `a ${A} 2027-01-31T12:00:00+01:00`, `line 1 ${EXPIRY}`],
    ["a name of 65 characters", `${"a".repeat(65)} ${A}`, `line 1 ${FORM}`],
    ["a name that is not ASCII", `ä ${A}`, `line 1 ${FORM}`],
    ["a name three times", `a ${A}\na ${B}\na ${C}`, "line 3 must not have the name of 2 other lines"],
    ["a key twice", `a ${A}\n#\nb ${A.toUpperCase()}`, "line 3 must not have the hash of line 1"],
    [
      "a key in place of its hash",
      "a ut_secret",
      "line 1 must not have a key itself, which should be replaced now: only its SHA-256 belongs in this file",
    ],
    [
      "a key as a name, which would appear in logs",
      `ut_${"-_v7".repeat(10)}-_s ${A}`,
      "line 1 must not have a key itself, which should be replaced now: only its SHA-256 belongs in this file",
    ],
    [
      "several problems",
      `a\nb ${B}\nc x\nb ${B}`,
      `lines 1 and 3 ${FORM}; line 4 must not have the hash of line 2`,
    ],
  ])("rejects %s", (_, text, description) => {
    expect(problems(text)).toBe(description);
  });

  test("lists ten lines with the same problem in one sentence", () => {
    expect(problems("x\n".repeat(10))).toBe(`lines 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 ${FORM}`);
  });

  test("lists at most twenty lines and counts the rest", () => {
    const numbers = Array.from({ length: 19 }, (_, index) => index + 1).join(", ");
    expect(problems("x\n".repeat(25))).toBe(`lines ${numbers} and 20 ${FORM}; and 5 more`);
    const again = `a ${A}\n`.repeat(4);
    expect(problems(`${"x\n".repeat(20)}${again}`)).toBe(`lines ${numbers} and 20 ${FORM}; and 3 more`);
  });

  test("accepts 100,000 keys, and no more", () => {
    const lines = Array.from(
      { length: 100_001 },
      (_, index) => `n${index} ${index.toString(16).padStart(64, "0")}`,
    );
    expect(problems(lines.slice(1).join("\n"))).toBeUndefined();
    expect(problems(lines.join("\n"))).toBe("line 100001 must not exist: a file has at most 100000 keys");
  });

  describe("on any text", () => {
    const word = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 80 }),
      fc.stringMatching(/^[0-9a-f]{63,65}$/),
      fc.constant(A),
      fc.stringMatching(/^[A-Za-z0-9._-]{1,65}$/),
    );
    const text = fc
      .array(fc.array(word, { maxLength: 3 }).map((words) => words.join(" ")))
      .map((lines) => lines.join("\n"));

    test("never quotes it", () => {
      const secret = "Zq7-correct-horse";
      fc.assert(
        fc.property(text, fc.nat({ max: 3 }), (before, at) => {
          const line = [secret, `a ${secret}`, `${secret} ${secret}`, `a ${A} ${secret}`][at];
          const parsed = parseApiKeys(`${before}\n${line}`);
          expect(parsed.ok).toBe(false);
          expect(JSON.stringify(parsed)).not.toContain(secret);
        }),
      );
    });

    test("returns well-formed keys", () => {
      fc.assert(
        fc.property(text, (given) => {
          const parsed = parseApiKeys(given);
          const keys = parsed.ok ? parsed.value : parsed.failure.keys;
          for (const [digest, { name }] of keys) {
            expect(`${name} ${digest}`).toMatch(/^[A-Za-z0-9._-]{1,64} [0-9a-f]{64}$/);
          }
        }),
      );
    });

    test("reads back what was written", () => {
      const named = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/), { maxLength: 20 });
      fc.assert(
        fc.property(named, (names) => {
          const lines = names.map((name) => `${name} ${digestOf(name)} 2027-01-31\n# ${name}\n`);
          const expiresAt = Date.UTC(2027, 0, 31);
          const value = new Map(names.map((name) => [digestOf(name), { name, expiresAt }]));
          expect(parseApiKeys(lines.join("\n"))).toEqual({ ok: true, value });
        }),
      );
    });
  });
});

describe("loadApiKeys", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "api-keys-"));
    path = join(folder, "keys");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const line = (name: string, key = name) => `${name} ${digestOf(key)}\n`;
  const quickly: typeof watchFiles = (paths, onChange) => watchFiles(paths, onChange, 10);

  /** Loads the file. `next` returns the next reload. */
  async function load() {
    const reloads: ApiKeysReload[] = [];
    let wake = (): void => {};
    const loaded = await loadApiKeys(
      path,
      (reload) => {
        reloads.push(reload);
        wake();
      },
      quickly,
    );
    if (!loaded.ok) {
      throw new Error(loaded.failure.description);
    }
    const { current, stop } = loaded.value;
    const next = async (): Promise<ApiKeysReload> => {
      const reload = reloads.shift();
      return (
        reload ??
        new Promise<void>((resolve) => {
          wake = resolve;
        }).then(next)
      );
    };
    return { names: () => [...current().values()].map(({ name }) => name), current, next, stop };
  }

  describe("fails with the path of a file that is", () => {
    test.each([
      ["missing", undefined, "FILE_NOT_FOUND", "does not exist"],
      ["broken", "a", "INVALID_API_KEYS", /^line 1 must be a name/],
      ["too large", "#".repeat(16_777_217), "FILE_TOO_LARGE", "is too large; allowed: 16777216 bytes"],
    ])("%s", async (_, text, reason, description) => {
      if (text !== undefined) {
        await writeFile(path, text);
      }
      const loaded = await loadApiKeys(path, () => {}, quickly);
      const failure = loaded.ok ? undefined : loaded.failure;
      expect(failure?.reason).toBe(reason);
      expect(failure?.description.startsWith(`${path} `)).toBe(true);
      expect(failure?.description.slice(path.length + 1)).toEqual(
        typeof description === "string" ? description : expect.stringMatching(description),
      );
    });

    test("missing, but without the path if that is a key", async () => {
      const made = makeApiKey("ci", (size) => new Uint8Array(size).fill(0xff));
      const loaded = await loadApiKeys(made.ok ? made.value.key : "", () => {}, quickly);
      expect(loaded.ok ? "" : loaded.failure.description).toBe(
        "the file, whose name seems to be a key itself, does not exist",
      );
    });

    test("a named pipe", async () => {
      execFileSync("mkfifo", [path]);
      const loaded = await loadApiKeys(path, () => {}, quickly);
      expect(loaded.ok ? "" : loaded.failure.description).toBe(`${path} is not a regular file`);
    });

    test("a directory", async () => {
      const loaded = await loadApiKeys(folder, () => {}, quickly);
      expect(loaded).toEqual({
        ok: false,
        failure: { reason: "FILE_UNREADABLE", description: `${folder} is not a regular file` },
      });
    });
  });

  test("reads a file of the maximum size", async () => {
    await writeFile(path, `${line("a")}${"#".repeat(16_777_216 - line("a").length)}`);
    const { names, stop } = await load();
    expect(names()).toEqual(["a"]);
    stop();
  });

  test("reloads a changed file, keeps the keys of a missing one, and of an invalid one uses the valid lines", async () => {
    await writeFile(path, line("a"));
    const { names, current, next, stop } = await load();
    expect(names()).toEqual(["a"]);

    // Renamed, because a watch may see a file that is being written without its content.
    const replace = async (text: string) => {
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    };
    await replace(line("a") + line("b"));
    expect(await next()).toEqual({ ok: true, value: 2 });
    expect(names()).toEqual(["a", "b"]);

    // The line of "b" is removed, that of "a" is broken, and "c" and "d" are new.
    await replace(`a x\n${line("c")}d ${digestOf("d")} 2027\n`);
    expect(await next()).toMatchObject({
      ok: false,
      failure: {
        reason: "INVALID_API_KEYS",
        description: expect.stringMatching(
          /keys line 1 must be .*; line 3 must .*; the other lines are in use, and names in these lines keep their keys$/,
        ),
      },
    });
    expect(names()).toEqual(["a", "c"]);

    // A rotation whose second line is broken.
    await replace(`${line("a", "new")}a ${digestOf("a").slice(1)}\n`);
    expect((await next()).ok).toBe(false);
    expect([...current().keys()]).toEqual([digestOf("a"), digestOf("new")]);

    await rm(path);
    expect(await next()).toEqual({
      ok: false,
      failure: {
        reason: "FILE_NOT_FOUND",
        description: `${path} does not exist; the previous keys stay in use`,
      },
    });
    expect(names()).toEqual(["a", "a"]);

    await replace("# nobody\n");
    expect(await next()).toEqual({ ok: true, value: 0 });
    expect(names()).toEqual([]);
    stop();
  });
});

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
      ["no key", {}, MISSING, 'Bearer realm="utility-tools"'],
      ["another scheme", { authorization: "Basic YTpi" }, MISSING, 'Bearer realm="utility-tools"'],
      [
        "an unknown key",
        { "x-api-key": "ut_dave" },
        INVALID,
        'Bearer realm="utility-tools", error="invalid_token"',
      ],
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
    ])("%s", (_, headers, error, challenge = 'Bearer realm="utility-tools", error="invalid_token"') => {
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
