import { createRegistry } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { BookSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { expectLinear } from "connect-transcoding-testing/linear.js";
import { test } from "vitest";
import { createBinaryReaders } from "../../src/codec/binary/reader.js";
import { integerOf, parseExactIntegers } from "../../src/codec/exact-integers.js";
import { createJsonMessageReader } from "../../src/codec/json/reader.js";
import { trustedProxies } from "../../src/platform/node.js";
import { createArraySplitter, createNdjsonSplitter } from "../../src/routes/binding/json-splitter.js";
import { createMessageBinder } from "../../src/routes/binding/message-binder.js";
import { mediaTypeOf } from "../../src/routes/binding/request-parameters.js";
import { parseFormUrlEncoded, readPath } from "../../src/routes/binding/request-path.js";
import { matchesEntityTag, negotiateContentCoding } from "../../src/routes/encoding/content-negotiation.js";
import { parseFields } from "../../src/routes/encoding/partial-response.js";
import { pathSuggestions } from "../../src/routes/path-suggestions.js";
import { decodePercentExceptSlash } from "../../src/routes/rules/percent-encoding.js";

const OPTIONS = { registry: createRegistry(), unknownParameters: "ignore" } as const;
const binder = createMessageBinder(BookSchema, OPTIONS);
const readBook = createJsonMessageReader(BookSchema, OPTIONS);
const readBinaryBook = createBinaryReaders(false).ofMessage(BookSchema);
const suggest = pathSuggestions(["/a/b"]);
const { clientOf } = trustedProxies(["127.0.0.1"]);
const SPLITTER = { limit: 100_000_000, tooLong: () => new Error() as never };

/** Work that may throw. */
function attempt(work: () => unknown): () => void {
  return () => {
    try {
      work();
    } catch {
      // Many of the inputs are invalid.
    }
  };
}

function split(create: typeof createArraySplitter, text: string): () => void {
  const bytes = Buffer.from(text);
  return () => {
    const splitter = create(SPLITTER);
    splitter.push(bytes);
    while (splitter.next() !== undefined);
  };
}

function book(json: string): () => void {
  const bytes = Buffer.from(json);
  return attempt(() => readBook(bytes));
}

function binaryBook(content: string): () => void {
  const bytes = Buffer.from(content, "latin1");
  return attempt(() => readBinaryBook(bytes));
}

const text = (name: string, value: string) => ({ name, value, source: "text" as const });

test.each<[string, number, (size: number) => () => unknown]>([
  ["suggestions for a path of slashes", 2_000, (size) => () => suggest(`/a/${"/".repeat(size)}/y`)],
  ["a path of slashes", 2_000, (size) => () => readPath("/".repeat(size), new Set(["a"]))],
  ["a path of escapes", 2_000, (size) => attempt(() => readPath("/%61:a".repeat(size), new Set(["a"])))],
  ["escaped slashes", 2_000, (size) => () => decodePercentExceptSlash("%2F%61".repeat(size))],
  ["a form without equals signs", 30_000, (size) => () => parseFormUrlEncoded("a&".repeat(size))],
  ["a form without ampersands", 4_000, (size) => () => parseFormUrlEncoded("a=".repeat(size))],
  [
    "zeros within a number",
    50,
    (size) => () => {
      for (let count = 0; count < 200; count++) {
        integerOf(`1${"0".repeat(size - 1)}.${"0".repeat(size - 1)}1`);
      }
    },
  ],
  [
    "integers in JSON",
    2_000,
    (size) => () => parseExactIntegers(`[${"12345678901234567890,".repeat(size)}1]`),
  ],
  [
    "values that conflict",
    500,
    (size) => {
      const parameters = [text("title", "\u4e00".repeat(20 * size)), ...Array(size).fill(text("title", "a"))];
      return () => binder.bind(parameters);
    },
  ],
  [
    "elements of a list",
    500,
    (size) => {
      const parameters = Array(size).fill(text("author_names", "a"));
      return () => binder.bind(parameters);
    },
  ],
  ["a name of many parts", 2_000, (size) => () => binder.bind([text("a.".repeat(size), ""), text("b", "")])],
  [
    "members of JSON",
    1_000,
    (size) => book(`{${Array.from({ length: size }, (_, index) => `"${index}a":1`)}}`),
  ],
  ["a member that is given twice", 1_000, (size) => book(`{"a":"${'\\"'.repeat(size)}","a":":"}`)],
  ["backslashes in JSON", 2_000, (size) => book(`{"a":"${"\\\\".repeat(size)}:"}`)],
  ["empty texts in JSON", 2_000, (size) => book(`{"author_names":[${'"",'.repeat(size)}""]}`)],
  ["escapes in JSON", 2_000, (size) => book(`{"title":"${"\\u0627".repeat(size)}"}`)],
  ["colons in JSON", 20_000, (size) => book(`{"title":"${":".repeat(size)}"}`)],
  ["digits of a number in JSON", 5_000, (size) => book(`{"title":${"1".repeat(size)}}`)],
  ["elements in protobuf", 5_000, (size) => binaryBook("\x22\0".repeat(size))],
  ["unknown fields in protobuf", 5_000, (size) => binaryBook("\xf8\x3e\0".repeat(size))],
  ["groups in protobuf", 5_000, (size) => binaryBook("\xfb\x3e".repeat(size) + "\xfc\x3e".repeat(size))],
  ["nested JSON", 1_000, (size) => book(`{"a":${"[".repeat(size)}${"]".repeat(size)}}`)],
  [
    "selected fields",
    50,
    (size) => {
      const fields = `fields(${Array.from({ length: size }, (_, index) => index.toString(36))})`;
      return () => parseFields(fields, StructSchema);
    },
  ],
  ["lines of JSON", 2_000, (size) => split(createNdjsonSplitter, "\n1".repeat(size))],
  ["elements of a JSON array", 2_000, (size) => split(createArraySplitter, `[${'"\\"",'.repeat(size)}`)],
  [
    "parameters of a media type",
    2_000,
    (size) => attempt(() => mediaTypeOf(`a/b${"; a".repeat(size)}`, ["c/d"])),
  ],
  [
    "a structured suffix",
    2_000,
    (size) => attempt(() => mediaTypeOf(`application/${"+json".repeat(size)}x`, ["c/d"])),
  ],
  [
    "Accept-Encoding",
    2_000,
    (size) => () => negotiateContentCoding("a;q=0,".repeat(size), [{ name: "gzip" }]),
  ],
  ["If-None-Match", 2_000, (size) => () => matchesEntityTag(`${'W/"" '.repeat(size)}"`, '"a"')],
  ["X-Forwarded-For", 2_000, (size) => () => clientOf("127.0.0.1", `${"127.0.0.1 ,".repeat(size)}x`)],
])("%s takes linear time", (_, size, prepare) => {
  expectLinear(prepare, size);
});
