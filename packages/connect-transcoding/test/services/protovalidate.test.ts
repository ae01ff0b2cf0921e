import type { GenService } from "@bufbuild/protobuf/codegenv2";
import { buildPath } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { BadRequestSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import {
  type Book,
  BookSchema,
  ListBooksResponseSchema,
  PublisherSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { createTranscodingHandler } from "../../src/hosts/fetch.js";
import { createValidationInterceptor, type ValidationOutcome } from "../../src/services/protovalidate.js";

const service = defineService([
  { name: "AddBook", input: "Book", rule: { ...ruleOf("POST /v1/books"), body: "*" } },
  { name: "AddBooks", input: "ListBooksResponse", rule: { ...ruleOf("POST /v1/lists"), body: "*" } },
]) as GenService<{
  addBook: { methodKind: "unary"; input: typeof BookSchema; output: typeof BookSchema };
  addBooks: { methodKind: "unary"; input: typeof ListBooksResponseSchema; output: typeof BookSchema };
}>;
const { authorNames, labels, publisher } = BookSchema.field;

/** The violations of a test message with the title `invalid`. */
const VIOLATIONS = [
  { path: buildPath(BookSchema).field(BookSchema.field.inPrint), rule: "bool.const" },
  { path: buildPath(BookSchema).field(authorNames).list(1), rule: "string.min_len" },
  { path: buildPath(BookSchema).field(labels).map("a b"), rule: "2.custom" },
  { path: buildPath(BookSchema).field(publisher).field(PublisherSchema.field.cityName), rule: "required" },
  { path: buildPath(BookSchema), rule: "book.rule" },
].map(({ path, rule }) => ({ field: path.toPath(), ruleId: rule, message: "is wrong" }));

const validation = createValidationInterceptor({
  validate(desc, message): ValidationOutcome {
    if (desc.typeName === ListBooksResponseSchema.typeName) {
      const path = buildPath(ListBooksResponseSchema)
        .field(ListBooksResponseSchema.field.books)
        .list(0)
        .field(authorNames)
        .list(2);
      return {
        kind: "invalid",
        violations: [{ field: path.toPath(), ruleId: "string.max_len", message: "is too long" }],
      };
    }
    const { title = "", name = "" } = message as Partial<Book>;
    if (title === "invalid" || name === "shelves/1/books/invalid-rule") {
      return { kind: "invalid", violations: VIOLATIONS };
    }
    return title === "failing" ? { kind: "error", error: new Error("cannot compile") } : { kind: "valid" };
  },
});

const reported: unknown[] = [];
const handler = createTranscodingHandler({
  routes: (router) => router.service(service, { addBook: () => ({ title: "x" }), addBooks: () => ({}) }),
  interceptors: [validation],
  transcoding: { onError: (error) => reported.push(error) },
});
const post = async (path: string, body: object) => {
  const response = await handler(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  return { status: response.status, body: (await response.json()) as { error?: { details?: object[] } } };
};

describe("over REST", () => {
  test("passes valid messages", async () => {
    expect(await post("/v1/books", { title: "x" })).toMatchObject({ status: 200, body: { title: "x" } });
  });

  test("lists all violations with the names that the client uses", async () => {
    const { status, body } = await post("/v1/books", { title: "invalid", in_print: true });
    expect(status).toBe(400);
    const description = "is wrong";
    expect(body.error?.details?.[0]).toMatchObject({
      fieldViolations: [
        { field: "in_print", reason: "BOOL_CONST", description },
        { field: "authorNames[1]", reason: "STRING_MIN_LEN", description },
        { field: "labels[a b]", reason: "INVALID_VALUE", description },
        { field: "publisher.cityName", reason: "REQUIRED", description },
        { reason: "BOOK_RULE", description },
      ],
    });
    expect(body.error).toMatchObject({
      message: expect.stringMatching(/^in_print: is wrong; .*; publisher\.cityName: is wrong; is wrong$/),
    });
  });

  test("has the JSON names of fields in lists of messages", async () => {
    const { body } = await post("/v1/lists", { books: [{}] });
    expect(body.error?.details?.[0]).toMatchObject({
      fieldViolations: [{ field: "books[0].authorNames[2]", reason: "STRING_MAX_LEN" }],
    });
  });

  test("reports a rule that cannot be evaluated, and hides it from the client", async () => {
    const { status, body } = await post("/v1/books", { title: "failing" });
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("compile");
    expect(reported).toEqual([new Error("cannot compile")]);
  });
});

describe("over other protocols", () => {
  const transport = createRouterTransport(shelfRoutes(), { router: { interceptors: [validation] } });
  const client = createClient(ShelfService, transport);
  const rejected = (thrown: unknown) => {
    const error = ConnectError.from(thrown);
    const [details] = error.findDetails(BadRequestSchema);
    return [error.code, details?.fieldViolations[0]?.field];
  };

  test("a unary call fails with proto names", async () => {
    const call = client.getBook({ name: "shelves/1/books/invalid-rule" });
    expect(rejected(await call.catch((thrown: unknown) => thrown))).toEqual([
      Code.InvalidArgument,
      "in_print",
    ]);
  });

  test("a stream fails at the first invalid message", async () => {
    async function* names() {
      yield { name: "shelves/1/books/1" };
      yield { name: "shelves/1/books/invalid-rule" };
    }
    const titles: string[] = [];
    const reading = (async () => {
      for await (const { name } of client.exchangeBooks(names())) {
        titles.push(name);
      }
    })();
    expect(rejected(await reading.catch((thrown: unknown) => thrown))).toEqual([
      Code.InvalidArgument,
      "in_print",
    ]);
    expect(titles).toHaveLength(1);
  });
});
