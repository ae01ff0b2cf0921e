// Tests of the library without a server: `node --test examples/library`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { createCaller } from "connect-transcoding";
import { createRestTransport } from "connect-transcoding/client";
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { routes } from "./books.js";
import { LibraryService } from "./gen/example/library/v1/library_pb.js";

test("the implementation", async () => {
  const client = createClient(LibraryService, createRouterTransport(routes));
  const book = await client.createBook({ parent: "shelves/a", book: { title: "Momo" } });
  assert.equal(book.name, "shelves/a/books/1");
});

const handler = createTranscodingHandler({ routes });

test("the rules, by a client over REST", async () => {
  const client = createClient(
    LibraryService,
    createRestTransport({
      baseUrl: "http://localhost",
      fetch: (input, init) => handler(new Request(input, init)),
    }),
  );
  const { name } = await client.createBook({ parent: "shelves/b", book: { title: "Momo" } });
  assert.equal((await client.getBook({ name })).title, "Momo");
  await assert.rejects(client.getBook({ name: "shelves/b/books/9" }), (error) => {
    return error instanceof ConnectError && error.code === Code.NotFound;
  });
});

test("the JSON and the status", async () => {
  const response = await handler(new Request("http://localhost/v1/shelves/none/books"));
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { books: [] });
});

test("a call with its errors, by name", async () => {
  const caller = createCaller({ routes });
  const call = caller.call(LibraryService.method.createBook, { parent: "shelves/c", book: {} });
  await assert.rejects(call, /book.title: a book needs a title/);
});
