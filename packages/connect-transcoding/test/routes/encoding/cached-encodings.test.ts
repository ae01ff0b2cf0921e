import { describe, expect, test } from "vitest";
import { cacheEncodings, encodeCached } from "../../../src/routes/encoding/cached-encodings.js";

interface Country {
  readonly name: string;
}

/** Encodes with two encoders; `kept` marks what was encoded to be kept. */
const encode = (country: Country, encoder: string) =>
  encodeCached(
    country,
    encoder,
    ({ name }) => ({ text: `${name} ${encoder}`, kept: false }),
    ({ name }) => ({ text: `${name} ${encoder}`, kept: true }),
  );

describe("a marked message", () => {
  test("is the message itself, and may be marked again", () => {
    const message = { name: "France" };
    expect(cacheEncodings(message)).toBe(message);
    const encoding = encode(message, "a");
    expect(encode(cacheEncodings(message), "a")).toBe(encoding);
  });

  test("is encoded once per encoder", () => {
    const message = cacheEncodings({ name: "France" });
    const first = encode(message, "a");
    expect(first).toEqual({ text: "France a", kept: true });
    expect(encode(message, "a")).toBe(first);
    expect(encode(message, "b")).toEqual({ text: "France b", kept: true });
    expect(encode(message, "a")).toBe(first);
  });

  test("shares no encodings with an equal message", () => {
    const [one, other] = [cacheEncodings({ name: "France" }), cacheEncodings({ name: "France" })];
    expect(encode(one, "a")).not.toBe(encode(other, "a"));
  });
});

test("any other message is encoded each time", () => {
  const message = { name: "France" };
  expect(encode(message, "a")).toEqual({ text: "France a", kept: false });
  expect(encode(message, "a")).not.toBe(encode(message, "a"));
});
