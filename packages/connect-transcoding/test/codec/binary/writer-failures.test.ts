import { create } from "@bufbuild/protobuf";
import { BookSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { MessageInit } from "../../../src/codec/message-field.js";
import { expected, written } from "../../support/messages/binary-text.js";

describe("fails as protobuf-es does", () => {
  const made = (init: Record<string, unknown>): MessageInit => Object.assign(create(BookSchema), init);

  test.each<[init: MessageInit]>([
    [{ name: "n", pages: "secret" }],
    [{ pages: -1 }],
    [{ pages: 2 ** 32 }],
    [{ pages: 5n }],
    [{ year: 1.5 }],
    [{ year: Number.NaN }],
    [{ volumes: [1, 2 ** 31] }],
    [{ volumes: [Symbol("none")] }],
    [{ volumes: [[]] }],
    [{ isbn: 1.5 }],
    [{ isbn: "secret" }],
    [{ isbn: 2n ** 63n }],
    [{ isbn: {} }],
    [{ copies: -1n }],
    [{ copies: 2n ** 64n }],
    [{ rating: 3.5e38 }],
    [{ rating: "secret" }],
    [{ genre: "secret" }],
    [{ moreGenres: [undefined] }],
    [{ fingerprint: "secret" }],
    [{ publisher: "secret" }],
    [{ publisher: { parent: { parent: 7 } } }],
    [{ publisher: [] }],
    [made({ publisher: { name: "no message" } })],
    [made({ year: null })],
    [made({ authorNames: undefined })],
    [made({ location: undefined })],
    [made({ fingerprint: [1, 2] })],
  ])("%o", (init) => {
    const problem = (run: () => unknown): string => {
      try {
        run();
      } catch (thrown) {
        return String(thrown);
      }
      return "none";
    };
    const said = problem(() => expected(BookSchema, init));
    expect(said).not.toBe("none");
    expect(problem(() => written(BookSchema, init))).toBe(said);
    expect(written(BookSchema, { name: "next" })).toBe("0a046e657874");
  });

  test.each<[what: string, init: MessageInit]>([
    ["truth", { inPrint: "secret" }],
    ["text", { name: 5, labels: { a: 5 }, authorNames: [null] }],
    ["a number", { price: "1.5" }],
    ["an integer", { pages: "5", volumes: ["6"] }],
    ["a message without its required fields", made({ name: undefined })],
    ["null in a message", made({ name: null })],
    ["a list that is a number", { volumes: 5, isbn: true }],
  ])("accepts the same values as protobuf-es for %s", (_, init) => {
    expect(written(BookSchema, init)).toBe(expected(BookSchema, init));
  });
});
