import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTraceparent } from "../../../src/service/telemetry/traceparent.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

// The examples and rules of https://www.w3.org/TR/trace-context-1/#traceparent-header, and the cases of the
// specification's own tests (w3c/trace-context, test/test.py).
describe("a traceparent", () => {
  test.each([
    ["sampled", `00-${TRACE}-${PARENT}-01`, true],
    ["not sampled", `00-${TRACE}-${PARENT}-00`, false],
    ["with flags that are not known, sampled", `00-${TRACE}-${PARENT}-ff`, true],
    ["with flags that are not known, not sampled", `00-${TRACE}-${PARENT}-fe`, false],
    ["of a later version", `cc-${TRACE}-${PARENT}-01`, true],
    ["of a later version that says more", `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, true],
    ["of a later version with an empty field more", `01-${TRACE}-${PARENT}-00-`, false],
  ])("is read %s", (_, header, sampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT, sampled });
  });

  test.each([
    ["there is none", undefined],
    ["it is empty", ""],
    ["version 00 says more", `00-${TRACE}-${PARENT}-01-more`],
    ["version 00 has a dash more", `00-${TRACE}-${PARENT}-01-`],
    ["it goes on without a dash", `00-${TRACE}-${PARENT}-01.`],
    ["a later version goes on without a dash", `cc-${TRACE}-${PARENT}-01.what-the-future-will-be-like`],
    ["its version is ff", `ff-${TRACE}-${PARENT}-01`],
    ["its version is no number", `.0-${TRACE}-${PARENT}-01`],
    ["its version is too long", `000-${TRACE}-${PARENT}-01`],
    ["its version is too short", `0-${TRACE}-${PARENT}-01`],
    ["its trace-id is zero", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["its trace-id is in upper case", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ["its trace-id is too long", `00-${TRACE}0-${PARENT}-01`],
    ["its trace-id is too short", `00-${TRACE.slice(1)}-${PARENT}-01`],
    ["its trace-id is no number", `00-.${TRACE.slice(1)}-${PARENT}-01`],
    ["its parent-id is zero", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["its parent-id is in upper case", `00-${TRACE}-${PARENT.toUpperCase()}-01`],
    ["its parent-id is too long", `00-${TRACE}-${PARENT}0-01`],
    ["its parent-id is too short", `00-${TRACE}-${PARENT.slice(1)}-01`],
    ["its flags are no number", `00-${TRACE}-${PARENT}-.0`],
    ["its flags are in upper case", `00-${TRACE}-${PARENT}-0A`],
    ["its flags are too short", `00-${TRACE}-${PARENT}-1`],
    ["its flags are missing", `00-${TRACE}-${PARENT}`],
    ["there are two", `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ["there is a space before it", ` 00-${TRACE}-${PARENT}-01`],
    ["there is a line end behind it", `00-${TRACE}-${PARENT}-01\n`],
  ])("is not read when %s", (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  const hex = (length: number) =>
    fc
      .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })
      .filter((text) => /[^0]/.test(text));

  test("is read as it was written", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 255 }), (traceId, parentId, flags) => {
        const header = `00-${traceId}-${parentId}-${flags.toString(16).padStart(2, "0")}`;
        expect(parseTraceparent(header)).toEqual({ traceId, parentId, sampled: flags % 2 === 1 });
      }),
    );
  });

  test("is nothing that has any other character in its place", () => {
    const valid = `00-${TRACE}-${PARENT}-01`;
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (index, character) => {
        fc.pre(!/[0-9a-f-]/.test(character));
        const header = valid.slice(0, index) + character + valid.slice(index + 1);
        expect(parseTraceparent(header)).toBeUndefined();
      }),
    );
  });

  test("has identifiers of the right form, whatever text it is", () => {
    const almost = fc.stringMatching(
      /^[0-9a-fA-F]{1,3}-[0-9a-f]{31,33}-[0-9a-f]{15,17}-[0-9a-f]{1,3}(-.*)?$/,
    );
    fc.assert(
      fc.property(fc.oneof(almost, fc.string()), (header) => {
        const parsed = parseTraceparent(header);
        expect(parsed?.traceId ?? TRACE).toMatch(/^[0-9a-f]{32}$/);
        expect(parsed?.parentId ?? PARENT).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });
});
