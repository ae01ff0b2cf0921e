import { readFileSync } from "node:fs";
import { create, createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { GARDEN } from "connect-transcoding-testing/files.js";
import {
  BookSchema,
  GenreSchema,
  LibraryService,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { commentOn, commentsOf, firstSentence } from "../../src/openapi/comments.js";

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

describe("the comments of files with source info", () => {
  // Written by `npm run generate`.
  const image = readFileSync(GARDEN);
  const files = fromBinary(FileDescriptorSetSchema, image);
  const comments = commentsOf(files.file);

  test.each([
    ["a service", "GardenService", "Plants in gardens."],
    ["a method, without links and internal comments", "GardenService.GetPlant", "Gets a Plant."],
    ["a message", "Plant", "A plant."],
    ["a field", "Plant.name", "The name."],
    ["a field with a comment after it", "Plant.species", "What it is."],
    ["a nested message", "Plant.Roots", "What is below the ground."],
    ["a field of a nested message", "Plant.Roots.depth", "The depth."],
    ["an enum", "Season", "A part of the year."],
    ["an enum value", "Season.SEASON_SPRING", "When plants grow."],
    ["a declaration without a comment", "Pot", undefined],
  ])("have that on %s", (_what, name, comment) => {
    expect(comments[`garden.v1.${name}`]).toBe(comment);
  });

  test("include those of imported files", () => {
    expect(comments["google.protobuf.Timestamp.nanos"]).toMatch(/^Non-negative fractions of a second/);
  });

  test("are those of a registry", () => {
    const registry = createFileRegistry(files);
    expect(commentsOf([...registry.files].map(({ proto }) => proto))).toEqual(comments);
  });

  test("are empty without source info, and names have no package where the file has none", () => {
    const stripped = files.file.map((file) => ({ ...file, sourceCodeInfo: undefined }));
    expect(commentsOf(stripped)).toEqual({});
    const { file } = create(FileDescriptorSetSchema, {
      file: [
        {
          name: "a.proto",
          messageType: [{ name: "A" }],
          sourceCodeInfo: { location: [{ path: [4, 0], leadingComments: " An A,\n  indented.\n" }] },
        },
      ],
    });
    expect(commentsOf(file)).toEqual({ A: "An A,\n indented." });
  });
});
