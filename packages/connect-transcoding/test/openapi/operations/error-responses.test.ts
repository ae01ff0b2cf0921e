import { describe, expect, test } from "vitest";
import { LibraryService } from "../../gen/library/v1/library_pb.js";
import { documentOf, operationOf } from "../describe.js";

describe("errors", () => {
  test.each([
    ["", ["@type", "reason"]],
    ["library", ["@type", "reason", "domain"]],
  ])("with the domain %j always have %j", (errorDomain, required) => {
    const { schemas } = documentOf(LibraryService, {}, { errorDomain }).components;
    expect(schemas.ErrorInfo?.required).toEqual(required);
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
    expect(Object.keys(responses)).toEqual(["200", "400", "404", "413", "415", "500", "503"]);
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
