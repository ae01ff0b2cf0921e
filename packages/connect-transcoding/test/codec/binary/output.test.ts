import { PublisherSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { MessageInit } from "../../../src/codec/message-field.js";
import { expected, hex, ofMessage, written } from "../../support/messages/binary-text.js";

describe("the output", () => {
  test("can start with zero bytes", () => {
    const init = { name: "n" };
    // The output must not contain earlier content of the memory.
    for (let count = 0; count < 100; count++) {
      Buffer.allocUnsafe(200).fill(0xff);
      expect(hex(ofMessage(PublisherSchema)(init, 5))).toBe("00000000000a016e");
    }
    expect(hex(ofMessage(PublisherSchema)({}, 5))).toBe("0000000000");
    const large = { name: "n".repeat(100_000) };
    expect(hex(ofMessage(PublisherSchema)(large, 5))).toBe(`0000000000${expected(PublisherSchema, large)}`);
  });

  test("does not change when more is written", () => {
    const first = ofMessage(PublisherSchema)({ name: "first" });
    ofMessage(PublisherSchema)({ name: "other" });
    expect(hex(first)).toBe(expected(PublisherSchema, { name: "first" }));
  });

  test("is correct if another message is written meanwhile", () => {
    let inner: Uint8Array | undefined;
    const init: MessageInit = {
      name: "outer",
      get cityName() {
        inner = ofMessage(PublisherSchema)({ name: "something longer" });
        return "city";
      },
    };
    expect(written(PublisherSchema, init)).toBe(
      expected(PublisherSchema, { name: "outer", cityName: "city" }),
    );
    expect(inner && hex(inner)).toBe(expected(PublisherSchema, { name: "something longer" }));
  });
});
