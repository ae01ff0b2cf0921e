import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { makeApiKey } from "../../../src/service/access/make-api-key.js";
import { parseApiKeys } from "../../../src/service/access/parse-api-keys.js";
import { shownKey } from "../../../src/service/access/shown-key.js";

test("a key is 32 random octets in base64url, and its line has its SHA-256", () => {
  const key = `ut_${"-_v7".repeat(10)}-_s`;
  const made = makeApiKey("ci", (size) =>
    Buffer.from("-_v7".repeat(10).concat("-_s"), "base64url").subarray(0, size),
  );
  const sha256 = createHash("sha256").update(key).digest("hex");
  expect(made).toEqual({ ok: true, value: { key, line: `ci ${sha256}` } });
});

test("its line is taken by the file, and the key by requests", () => {
  const made = makeApiKey("ci", randomBytes);
  expect(made.ok && parseApiKeys(made.value.line)).toMatchObject({ ok: true, value: [{ name: "ci" }] });
  expect(made.ok && shownKey(`Bearer ${made.value.key}`, undefined)).toMatchObject({ form: "key" });
});

const KEY = `ut_${"-_v7".repeat(10)}-_s`;

test.each(["", "a b", "#a", "a".repeat(65), "ä", "a\n", KEY, `a.${KEY}`])(
  "a key cannot be named %j",
  (name) => {
    expect(makeApiKey(name, randomBytes)).toMatchObject({
      ok: false,
      failure: { reason: "INVALID_KEY_NAME" },
    });
  },
);
