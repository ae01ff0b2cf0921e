import {
  BookSchema,
  ListBooksResponseSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { InvalidFields, parseFields } from "../../../src/routes/encoding/partial-response.js";

const BOOKS = {
  books: [
    { name: "a", title: "A", publisher: { name: "p", city: "c" }, authorNames: ["x"] },
    { name: "b", title: "B", publisher: null, authorNames: [] },
  ],
};

describe("keeps the fields of a selection", () => {
  test.each<[string, unknown]>([
    ["*", BOOKS],
    ["books.name", { books: [{ name: "a" }, { name: "b" }] }],
    ["books/name", { books: [{ name: "a" }, { name: "b" }] }],
    [
      "books(name,title)",
      {
        books: [
          { name: "a", title: "A" },
          { name: "b", title: "B" },
        ],
      },
    ],
    [" books ( name ) ", { books: [{ name: "a" }, { name: "b" }] }],
    ["books.publisher.name", { books: [{ publisher: { name: "p" } }, { publisher: null }] }],
    [
      "books.name,books.title",
      {
        books: [
          { name: "a", title: "A" },
          { name: "b", title: "B" },
        ],
      },
    ],
    [
      "books.publisher.name,books.title",
      {
        books: [
          { title: "A", publisher: { name: "p" } },
          { title: "B", publisher: null },
        ],
      },
    ],
    ["books.name,books", { books: BOOKS.books }],
    ["*/name", { books: [{ name: "a" }, { name: "b" }] }],
    ["books.author_names", { books: [{ authorNames: ["x"] }, { authorNames: [] }] }],
  ])("%s", (fields, expected) => {
    expect(parseFields(fields, ListBooksResponseSchema)(BOOKS)).toEqual(expected);
  });
});

describe("rejects", () => {
  test.each([
    ["", "must be names of fields, such as `a,b.c,d(e,f)`"],
    [",", "must be names of fields, such as `a,b.c,d(e,f)`"],
    ["name,", "must be names of fields, such as `a,b.c,d(e,f)`"],
    ["publisher(name", "must be names of fields, such as `a,b.c,d(e,f)`"],
    ["publisher(name))", "must be names of fields, such as `a,b.c,d(e,f)`"],
    ["publisher()", "must be names of fields, such as `a,b.c,d(e,f)`"],
    ["publisher..name", "must be names of fields, such as `a,b.c,d(e,f)`"],
    ["colour", "'colour' is not a field of library.v1.Book"],
    ["publisher.colour", "'colour' is not a field of library.v1.Publisher"],
    ["__proto__", "'__proto__' is not a field of library.v1.Book"],
    [`${"*(".repeat(40)}*${")".repeat(40)}`, "must be names of fields, such as `a,b.c,d(e,f)`"],
    ["x".repeat(4097), "is too long; allowed: 4096 characters"],
  ])("%s", (fields, message) => {
    expect(() => parseFields(fields, BookSchema)).toThrow(new InvalidFields(message));
  });
});
