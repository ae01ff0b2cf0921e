import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import { describe, expect, test } from "vitest";
import {
  createError,
  deadlineExceeded,
  invalidArgument,
  reasonOf,
  violationsOf,
  withDomain,
} from "../../src/errors/errors.js";

const violation = (field: string, reason: Uppercase<string> = "WRONG") => ({
  field,
  reason,
  description: "is wrong",
});

const NO_BOOK = { code: Code.NotFound, reason: "NO_BOOK", message: "there is no such book" } as const;

/** The outgoing details of an error, as type names and values. */
const detailsOf = (error: ConnectError) =>
  error.details.map((detail) => ("desc" in detail ? [detail.desc.typeName, detail.value] : [detail.type]));

describe("createError", () => {
  test("returns a ConnectError with an ErrorInfo", () => {
    const error = createError({ ...NO_BOOK, metadata: { name: "x" } });
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({ code: Code.NotFound, rawMessage: "there is no such book" });
    expect(detailsOf(error)).toEqual([
      ["google.rpc.ErrorInfo", { reason: "NO_BOOK", metadata: { name: "x" } }],
    ]);
  });

  test("adds a BadRequest for violations", () => {
    const error = createError({ ...NO_BOOK, violations: [violation("a")] });
    expect(detailsOf(error)).toEqual([
      ["google.rpc.BadRequest", { fieldViolations: [violation("a")] }],
      ["google.rpc.ErrorInfo", { reason: "NO_BOOK", metadata: {} }],
    ]);
  });

  test("adds a RetryInfo for a delay", () => {
    const error = createError({ ...NO_BOOK, retryAfter: 12_345 });
    expect(detailsOf(error)).toEqual([
      ["google.rpc.RetryInfo", { retryDelay: expect.objectContaining({ seconds: 12n, nanos: 345_000_000 }) }],
      ["google.rpc.ErrorInfo", { reason: "NO_BOOK", metadata: {} }],
    ]);
  });
});

describe("invalidArgument", () => {
  test("lists every violation in its message", () => {
    const error = invalidArgument([violation("a"), violation("b.c")]);
    expect(error).toMatchObject({ code: Code.InvalidArgument, rawMessage: "a: is wrong; b.c: is wrong" });
    expect(reasonOf(error)).toBe("INVALID_PARAMETERS");
    expect(detailsOf(error).map(([name]) => name)).toEqual(["google.rpc.BadRequest", "google.rpc.ErrorInfo"]);
  });

  test("lists each field and reason once", () => {
    const same = [violation("a"), violation("a"), violation("a", "OTHER")];
    expect(violationsOf(invalidArgument(same))).toEqual([violation("a"), violation("a", "OTHER")]);
  });

  test("lists at most fifty violations", () => {
    const many = Array.from({ length: 60 }, (_, index) => violation(`f${index}`));
    expect(violationsOf(invalidArgument(many))).toEqual(many.slice(0, 50));
  });
});

test("errors without details have neither violations nor a reason", () => {
  for (const error of [new ConnectError("x"), deadlineExceeded()]) {
    expect([violationsOf(error), reasonOf(error)]).toEqual([[], ""]);
  }
  expect([violationsOf(createError(NO_BOOK)), reasonOf(createError(NO_BOOK))]).toEqual([[], "NO_BOOK"]);
});

describe("withDomain", () => {
  test("sets the domain of an ErrorInfo that has none", () => {
    const error = createError(NO_BOOK);
    expect(withDomain(error, "library.example")).toBe(error);
    expect(detailsOf(error)).toEqual([
      ["google.rpc.ErrorInfo", { reason: "NO_BOOK", metadata: {}, domain: "library.example" }],
    ]);
  });

  test("keeps a domain, other details and errors without details", () => {
    const error = createError({ ...NO_BOOK, violations: [violation("a")] });
    const foreign = { desc: ErrorInfoSchema, value: { reason: "X", domain: "other.example" } };
    error.details = [...error.details.slice(0, 1), foreign];
    const before = detailsOf(error);
    expect(detailsOf(withDomain(error, "library.example"))).toEqual(before);
    expect(detailsOf(withDomain(new ConnectError("x"), "library.example"))).toEqual([]);
  });

  test("does not modify details that several errors share", () => {
    const [first, second] = [new ConnectError("a"), new ConnectError("b")];
    first.details = createError(NO_BOOK).details;
    second.details = first.details;
    withDomain(first, "first.example");
    withDomain(second, "second.example");
    expect(detailsOf(first)[0]?.[1]).toMatchObject({ domain: "first.example" });
    expect(detailsOf(second)[0]?.[1]).toMatchObject({ domain: "second.example" });
  });
});
