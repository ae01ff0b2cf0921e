import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createError, invalidArgument } from "../../../src/errors/errors.js";
import { encodeError } from "../../../src/protocols/rest/error.js";
import { documentOf, operationOf } from "../describe.js";
import { schemaCompiler } from "../validator.js";

describe("errors", () => {
  const check = schemaCompiler(documentOf(LibraryService))(["components", "schemas", "Error"]);
  const detail = (type: string, value: Uint8Array) => {
    const error = new ConnectError("It is wrong.", Code.Unavailable);
    error.details = [{ type, value }];
    return error;
  };

  test.each<[string, ConnectError]>([
    ["without details", new ConnectError("It is wrong.", Code.NotFound)],
    ["with violations", invalidArgument([{ field: "a", reason: "REQUIRED", description: "is required" }])],
    [
      "with a time to wait",
      createError({ code: Code.Unavailable, reason: "BUSY", message: "wait", retryAfter: 1_500 }),
    ],
    ["with a detail of another type", detail("google.rpc.Help", new Uint8Array([10, 0]))],
    ["with a detail that cannot be read", detail("google.rpc.ErrorInfo", new Uint8Array([10, 9]))],
    [
      "with violations of another server",
      detail(
        "google.rpc.BadRequest",
        toBinary(BadRequestSchema, create(BadRequestSchema, { fieldViolations: [{ field: "a" }] })),
      ),
    ],
  ])("%s match the schema", (_what, error) => {
    expect(check(JSON.parse(String(encodeError(error).body)))).toEqual([]);
  });

  test("have details with a type, whatever else is in them", () => {
    const withDetail = (...details: object[]) =>
      check({ error: { code: 1, status: "UNKNOWN", message: "", details } });
    expect(
      withDetail(
        { "@type": "type.googleapis.com/google.protobuf.Duration", value: "1s" },
        { "@type": "a/b.C", x: [1] },
      ),
    ).toEqual([]);
    expect(withDetail({ value: "1s" })).toEqual(["/error/details/0 must have required property '@type'"]);
  });

  test("that are not documented have a response as well", () => {
    const { paths, components } = documentOf(LibraryService);
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    expect(new Set(operations.map(({ responses }) => JSON.stringify(responses.default)))).toEqual(
      new Set(['{"$ref":"#/components/responses/Error"}']),
    );
    expect(components.responses.Error).toEqual({
      description: "Any other error.",
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    });
  });

  test("have the HTTP status of their code", () => {
    const { responses } = operationOf({
      name: "GetBook",
      rule: { pattern: { case: "post", value: "/v1/books" }, body: "*" },
      options: {
        errors: [
          { code: 5, reason: "BOOK_NOT_FOUND", description: "There is no such book." },
          { code: 9, reason: "BOOK_LENT", description: "Somebody has the book." },
        ],
      },
    });
    expect(Object.keys(responses)).toEqual(["200", "400", "404", "413", "415", "500", "503", "default"]);
    expect(responses[404]).toEqual({
      description: "`BOOK_NOT_FOUND`: There is no such book.",
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Error" },
          examples: {
            BOOK_NOT_FOUND: {
              value: {
                error: {
                  code: 404,
                  status: "NOT_FOUND",
                  message: "There is no such book.",
                  details: [
                    {
                      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                      reason: "BOOK_NOT_FOUND",
                      domain: "utilitytools",
                    },
                  ],
                },
              },
            },
          },
        },
      },
    });
    expect(responses[400]).toMatchObject({
      description: expect.stringContaining("`BOOK_LENT`: Somebody has the book."),
    });
  });

  test.each([[{ reason: "BOOK_LENT" }], [{ code: 9 }], [{ code: 17, reason: "BOOK_LENT" }]])(
    "%j is rejected: it needs a code and a reason",
    (error) => {
      const rule = { pattern: { case: "get", value: "/v1/books" } } as const;
      expect(() => operationOf({ name: "GetBook", rule, options: { errors: [error] } })).toThrow(
        "test.Service.GetBook: an error needs a code and a reason",
      );
    },
  );
});
