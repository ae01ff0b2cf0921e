import { create } from "@bufbuild/protobuf";
import type { GenService } from "@bufbuild/protobuf/codegenv2";
import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { createError, invalidArgument } from "connect-transcoding";
import {
  BookSchema,
  type CreateBookRequestSchema,
  type GetBookRequestSchema,
  type ListBooksResponseSchema,
} from "../gen/library/v1/library_pb.js";
import { defineService, ruleOf } from "./define-service.js";

/** A service with a method of every kind, and HTTP rules for those that can have one. */
export const ShelfService = defineService([
  { name: "GetBook", rule: ruleOf("GET /v1/{name=shelves/*/books/*}"), hasNoSideEffects: true },
  {
    name: "CreateBook",
    input: "CreateBookRequest",
    rule: { ...ruleOf("POST /v1/{parent=shelves/*}/books"), body: "book" },
  },
  { name: "WatchBook", rule: ruleOf("GET /v1/{name=shelves/*/books/*}:watch"), serverStreaming: true },
  { name: "CollectBooks", output: "ListBooksResponse", clientStreaming: true },
  { name: "ExchangeBooks", clientStreaming: true, serverStreaming: true },
]) as GenService<{
  getBook: Kind<"unary">;
  createBook: { methodKind: "unary"; input: typeof CreateBookRequestSchema; output: typeof BookSchema };
  watchBook: Kind<"server_streaming">;
  collectBooks: {
    methodKind: "client_streaming";
    input: typeof GetBookRequestSchema;
    output: typeof ListBooksResponseSchema;
  };
  exchangeBooks: Kind<"bidi_streaming">;
}>;

interface Kind<K> {
  methodKind: K;
  input: typeof GetBookRequestSchema;
  output: typeof BookSchema;
}

/** The end of a name that makes the implementation throw. */
const ERRORS: Readonly<Record<string, () => ConnectError>> = {
  missing: () =>
    createError({
      code: Code.NotFound,
      reason: "NO_BOOK",
      message: "there is no such book: “x”",
      metadata: { shelf: "1" },
      retryAfter: 1500,
    }),
  invalid: () => invalidArgument([{ field: "name", reason: "TOO_SHORT", description: "is too short" }]),
  plain: () => new ConnectError("closed", Code.Unavailable, { "x-reason": "holiday" }),
};

/** Throws the error that a name asks for. */
function check(name: string): void {
  const createError = ERRORS[name.slice(name.lastIndexOf("/") + 1)];
  if (createError !== undefined) {
    throw createError();
  }
}

/** An implementation that uses connect-es only. Headers and trailers of responses repeat `x-reader` of the request. */
const shelfImplementation: ServiceImpl<typeof ShelfService> = {
  getBook: ({ name, view }, context) => {
    const reader = context.requestHeader.get("x-reader") ?? "";
    context.responseHeader.set("x-shelf", reader);
    context.responseTrailer.set("x-returned", reader);
    check(name);
    return { name, title: `read by ${reader}`, authorNames: [view], isbn: 9007199254740993n };
  },
  createBook: async ({ parent, book }, context) => {
    context.responseHeader.append("x-shelf", "1");
    context.responseHeader.append("x-shelf", "2");
    check(book?.name ?? "");
    return { ...(book ?? create(BookSchema)), name: `${parent}/books/${book?.name}` };
  },
  async *watchBook({ name }, context) {
    context.responseHeader.set("x-shelf", "watched");
    context.responseTrailer.set("x-returned", "watched");
    for (const pages of [1, 2, 3]) {
      yield { name, pages };
    }
    check(name);
  },
  collectBooks: async (requests, context) => {
    const books = [];
    for await (const { name } of requests) {
      check(name);
      books.push({ name });
    }
    context.responseTrailer.set("x-returned", String(books.length));
    return { books };
  },
  async *exchangeBooks(requests) {
    for await (const { name } of requests) {
      check(name);
      yield { name, title: "exchanged" };
    }
  },
};

/** Routes of the service, with some methods replaced. */
export function shelfRoutes(
  methods: Partial<ServiceImpl<typeof ShelfService>> = {},
): (router: ConnectRouter) => void {
  return (router) => router.service(ShelfService, { ...shelfImplementation, ...methods });
}
