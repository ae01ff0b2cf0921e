import { createServer, type IncomingMessage, type Server } from "node:http";
import { create, createRegistry, isMessage, type Message } from "@bufbuild/protobuf";
import { bodyTooLarge } from "../../src/errors/http-error.js";
import { notFound, RpcError } from "../../src/errors/rpc-error.js";
import { errorAnswer, type HttpAnswer } from "../../src/response/response-encoder.js";
import { createTranscoder } from "../../src/rules/route-table.js";
import {
  type Book,
  BookSchema,
  CreateBookRequestSchema,
  file_library_v1_library,
  GetBookRequestSchema,
  LibraryService,
} from "../gen/library/v1/library_pb.js";

// Once, at start-up: the rules are read and checked, and each becomes a route.
const { getBook, createBook } = LibraryService.method;
const transcoder = createTranscoder([getBook, createBook], {
  unknownParameters: "reject",
  registry: createRegistry(file_library_v1_library),
});

const books = new Map<string, Book>();

/** The methods themselves; they know nothing of HTTP. */
function call(request: Message): Message {
  if (isMessage(request, CreateBookRequestSchema)) {
    const name = `${request.parent}/books/${books.size + 1}`;
    const book = request.book ?? create(BookSchema);
    book.name = name;
    books.set(name, book);
    return book;
  }
  if (isMessage(request, GetBookRequestSchema)) {
    const book = books.get(request.name);
    if (book === undefined) {
      throw notFound({ reason: "BOOK_NOT_FOUND", description: "there is no book of this name" });
    }
    return book;
  }
  throw new Error(`${request.$typeName} has no method`);
}

/** For each request: find its route, make it a message, call the method, and write what it answers. */
async function answer(request: IncomingMessage): Promise<HttpAnswer> {
  const { method = "", url = "", headers } = request;
  try {
    if (method === "OPTIONS") {
      return { status: 204, headers: { allow: transcoder.allowedMethods(url).join(", ") }, body: "" };
    }
    const route = transcoder.find(method, url);
    const bound = route.bind({
      contentType: headers["content-type"],
      contentEncoding: headers["content-encoding"],
      body: await readBody(request, 64 * 1024),
    });
    try {
      return bound.encode(call(bound.message));
    } catch (thrown) {
      throw thrown instanceof RpcError ? bound.spell(thrown) : thrown;
    }
  } catch (thrown) {
    if (thrown instanceof RpcError) {
      return errorAnswer(thrown);
    }
    console.error(thrown);
    return { status: 500, headers: {}, body: "" };
  }
}

async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > limit) {
      throw bodyTooLarge(limit);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Makes the server; what is left is to have it listen. */
export function createExampleServer(): Server {
  return createServer(async (request, response) => {
    const { status, headers, body } = await answer(request);
    response.writeHead(status, headers).end(body);
  });
}
