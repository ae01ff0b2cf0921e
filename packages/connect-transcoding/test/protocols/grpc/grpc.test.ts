import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { grpcStatus } from "../../../src/protocols/grpc/error.js";
import { parseGrpcTimeout } from "../../../src/protocols/grpc/format.js";

// Only these are encoded (https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md#responses).
test.each([
  ["email: is not an address; name: is “x”", "email: is not an address; name: is %E2%80%9Cx%E2%80%9D"],
  ["100 %", "100 %25"],
  ["a\r\nb\t~\u007f", "a%0D%0Ab%09~%7F"],
  ["  a b ", "%20 a b%20"],
  ["\ud83d\ude00 \ud83d", "%F0%9F%98%80 %EF%BF%BD"],
])("the message %j is sent as %j", (message, encoded) => {
  expect(grpcStatus(new ConnectError(message, Code.NotFound))).toEqual([
    ...["grpc-message", encoded],
    ...["grpc-status", "5"],
  ]);
});

test("trailers of an error have its metadata", () => {
  const error = new ConnectError("x", Code.NotFound, { "x-a": "1" });
  expect(grpcStatus(error).slice(-2)).toEqual(["x-a", "1"]);
});

test.each([
  [undefined, undefined],
  ["1H", 3_600_000],
  ["2M", 120_000],
  ["3S", 3000],
  ["100m", 100],
  ["99999999u", 99_999.999],
  ["1n", 1e-6],
  ["12345678n", 12.345678],
  ["0m", 0],
])("grpc-timeout %j is %j ms", (value, milliseconds) => {
  expect(parseGrpcTimeout(value)).toBe(milliseconds);
});

test.each(["", "1", "m", "-1m", "1.5S", "123456789m", "1h", " 1m"])(
  "grpc-timeout %j is malformed",
  (value) => {
    expect(parseGrpcTimeout(value)).toMatchObject({ code: Code.InvalidArgument });
  },
);
