import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { createError, invalidArgument } from "connect-transcoding";
import { BookSchema, LibraryService } from "./gen/example/library/v1/library_pb.js";

/** @type {Map<string, import("./gen/example/library/v1/library_pb.js").Book>} */
const books = new Map();

/**
 * The implementation, as for `connectNodeAdapter`. Errors are ConnectErrors with the details of https://google.aip.dev/193.
 *
 * @param {import("@connectrpc/connect").ConnectRouter} router
 */
export function routes(router) {
  /** @param {string} name */
  function find(name) {
    const book = books.get(name);
    if (book === undefined) {
      throw createError({
        code: Code.NotFound,
        reason: "BOOK_NOT_FOUND",
        message: `there is no book ${name}`,
        metadata: { name },
      });
    }
    return book;
  }

  /** @param {string} shelf */
  function booksOn(shelf) {
    return [...books.values()].filter(({ name }) => name.startsWith(`${shelf}/books/`));
  }

  /** @param {import("./gen/example/library/v1/library_pb.js").CreateBookRequest} request */
  function createBook({ parent, book: { title, read } = create(BookSchema) }) {
    if (title === "") {
      throw invalidArgument([
        { field: "book.title", reason: "REQUIRED", description: "a book needs a title" },
      ]);
    }
    const name = `${parent}/books/${books.size + 1}`;
    const book = create(BookSchema, { name, title, read });
    books.set(name, book);
    return book;
  }

  router.service(LibraryService, {
    getBook: ({ name }) => find(name),

    listBooks: ({ parent }) => ({ books: booksOn(parent) }),

    createBook,

    readBook({ name }) {
      const book = find(name);
      book.read = true;
      return book;
    },

    async importBooks(requests) {
      const imported = [];
      for await (const request of requests) {
        imported.push(createBook(request));
      }
      return { books: imported };
    },

    async *exportBooks({ parent }) {
      yield* booksOn(parent);
    },
  });
}
