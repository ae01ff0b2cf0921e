import { expect, test } from "vitest";
import { commentOn, firstSentence } from "../../src/openapi/documentation.js";
import { BookSchema, GenreSchema, LibraryService } from "../gen/library/v1/library_pb.js";

const COMMENTS = {
  "library.v1.Book": "A book\nin the library.",
  "library.v1.Book.title": "One\ntwo.\n\nThree:\n- four\n- five\n  six\n",
  "library.v1.Genre": "A genre.",
  "library.v1.Genre.GENRE_NOVEL": "A novel.",
  "library.v1.LibraryService": "The library.",
  "library.v1.LibraryService.GetBook": "Gets a book.",
};

test.each([
  [BookSchema, "A book in the library."],
  [BookSchema.field.title, "One two.\n\nThree:\n- four\n- five six"],
  [BookSchema.field.name, ""],
  [GenreSchema, "A genre."],
  [GenreSchema.value[1], "A novel."],
  [LibraryService, "The library."],
  [LibraryService.method.getBook, "Gets a book."],
])("the comment on %s, with joined lines", (desc, comment) => {
  expect(desc && commentOn(desc, COMMENTS)).toBe(comment);
});

test.each([
  ["", ""],
  ["Gets a book.", "Gets a book"],
  ["Gets a book", "Gets a book"],
  ["Gets a book. And more.", "Gets a book"],
  ["Gets a book! `More`.", "Gets a book"],
  ["Gets v1.2 of e.g. a book. And more.", "Gets v1.2 of e.g. a book"],
  ["Gets a book: one of many.", "Gets a book"],
  ["Gets 2001:db8::1. And more.", "Gets 2001:db8::1"],
  ["Gets a book\n\nAnd more.", "Gets a book"],
])("the first sentence of %j is %j", (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});
