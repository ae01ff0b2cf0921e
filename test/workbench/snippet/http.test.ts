import { create } from "@bufbuild/protobuf";
import {
  BookSchema,
  Genre,
  LibraryService,
  ListBooksResponseSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { expect, test } from "vitest";
import { restResponse } from "../../../src/workbench/snippet/http.js";

const { findBook, listBooks } = LibraryService.method;
const BOOK = create(BookSchema, { genre: Genre.NOVEL, moreGenres: [Genre.ESSAY], title: "GENRE_ESSAY" });

test("a response has the http_value of enum values, and fields at their default", () => {
  const response = restResponse(findBook, BOOK);
  expect(JSON.parse(response.kind === "json" ? response.text : "")).toMatchObject({
    genre: "novel",
    moreGenres: ["essay"],
    title: "GENRE_ESSAY",
    pages: 0,
  });
});

test("a response is the field that response_body names, indented", () => {
  const message = create(ListBooksResponseSchema, { books: [BOOK] });
  const response = restResponse(listBooks, message);
  expect(response).toEqual({ kind: "json", text: expect.stringMatching(/^\[\n {2}\{\n.*"genre": "novel"/s) });
});
