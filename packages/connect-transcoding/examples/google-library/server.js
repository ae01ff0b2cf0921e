// Google's example of a REST API (google/example/library/v1/library.proto), in memory. The proto file is unchanged.
import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { createError, createServer, invalidArgument } from "connect-transcoding";
import { BookSchema, LibraryService, ShelfSchema } from "./gen/google/example/library/v1/library_pb.js";

/**
 * @typedef {import("./gen/google/example/library/v1/library_pb.js").Book} Book
 * @typedef {import("./gen/google/example/library/v1/library_pb.js").Shelf} Shelf
 */

/** @type {Map<string, Shelf>} */
const shelves = new Map();
/** @type {Map<string, Book>} */
const books = new Map();
let lastId = 0;

/**
 * Returns the resource of a name; throws NOT_FOUND.
 *
 * @template T
 * @param {Map<string, T>} resources
 * @param {string} name
 */
function find(resources, name) {
  const resource = resources.get(name);
  if (resource === undefined) {
    throw createError({ code: Code.NotFound, reason: "RESOURCE_NOT_FOUND", message: `there is no ${name}` });
  }
  return resource;
}

/**
 * Returns a page of resources; a page token is the index of its first resource.
 *
 * @template T
 * @param {readonly T[]} resources
 * @param {{ readonly pageSize: number, readonly pageToken: string }} request
 */
function page(resources, { pageSize, pageToken }) {
  if (pageSize < 0 || !/^\d*$/.test(pageToken)) {
    throw invalidArgument([
      pageSize < 0
        ? { field: "page_size", reason: "OUT_OF_RANGE", description: "must not be negative" }
        : { field: "page_token", reason: "INVALID_VALUE", description: "must be a token of this method" },
    ]);
  }
  const start = Number(pageToken);
  const end = start + (pageSize || 50);
  return {
    resources: resources.slice(start, end),
    nextPageToken: end < resources.length ? String(end) : "",
  };
}

/** @param {string} shelf */
function booksOn(shelf) {
  return [...books.values()].filter(({ name }) => name.startsWith(`${shelf}/books/`));
}

/**
 * Puts a book on a shelf under a new name.
 *
 * @param {string} shelf
 * @param {Pick<Book, "author" | "title" | "read">} book
 */
function addBook(shelf, { author, title, read }) {
  const name = `${shelf}/books/${++lastId}`;
  const book = create(BookSchema, { name, author, title, read });
  books.set(name, book);
  return book;
}

/** @param {string} from @param {string} to */
function moveBook(from, to) {
  const moved = addBook(find(shelves, to).name, find(books, from));
  books.delete(from);
  return moved;
}

const server = createServer({
  routes: (router) =>
    router.service(LibraryService, {
      createShelf({ shelf }) {
        const name = `shelves/${++lastId}`;
        const created = create(ShelfSchema, { name, theme: shelf?.theme ?? "" });
        shelves.set(name, created);
        return created;
      },
      getShelf: ({ name }) => find(shelves, name),
      listShelves(request) {
        const { resources, nextPageToken } = page([...shelves.values()], request);
        return { shelves: resources, nextPageToken };
      },
      deleteShelf({ name }) {
        find(shelves, name);
        for (const book of booksOn(name)) {
          books.delete(book.name);
        }
        shelves.delete(name);
        return {};
      },
      mergeShelves({ name, otherShelfName }) {
        const shelf = find(shelves, name);
        if (find(shelves, otherShelfName) !== shelf) {
          for (const book of booksOn(otherShelfName)) {
            moveBook(book.name, name);
          }
          shelves.delete(otherShelfName);
        }
        return shelf;
      },
      createBook: ({ name, book }) => addBook(find(shelves, name).name, book ?? create(BookSchema)),
      getBook: ({ name }) => find(books, name),
      listBooks(request) {
        const { resources, nextPageToken } = page(booksOn(find(shelves, request.name).name), request);
        return { books: resources, nextPageToken };
      },
      deleteBook({ name }) {
        find(books, name);
        books.delete(name);
        return {};
      },
      updateBook({ name, book = create(BookSchema) }) {
        if (book.name !== "" && book.name !== name) {
          throw invalidArgument([
            { field: "book.name", reason: "INVALID_VALUE", description: "must be the name in the path" },
          ]);
        }
        find(books, name);
        const updated = create(BookSchema, { ...book, name });
        books.set(name, updated);
        return updated;
      },
      moveBook: ({ name, otherShelfName }) => moveBook(name, otherShelfName),
    }),
  transcoding: { errorDomain: "library-example.googleapis.com" },
});

const { port } = await server.listen("127.0.0.1", Number(process.env.PORT ?? 8080));
console.log(`ready on http://127.0.0.1:${port}`);
process.once("SIGTERM", () => server.close(10_000));
