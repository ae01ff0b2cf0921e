import type { JsonValue } from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import { createTranscodingHandler } from "../../../src/hosts/fetch.js";
import {
  BOOLEAN,
  bound,
  GENRE,
  GET,
  INTEGER,
  json,
  notForm,
  notText,
  POST,
  TWICE,
  violations,
  withMaps,
} from "../../support/messages/specimens.js";
import { useOnePort } from "../../support/servers.js";

describe("entries of maps in a query", () => {
  test.each<[query: string, message: JsonValue]>([
    ["text_by_text[a]=1", { textByText: { a: "1" } }],
    ["textByText[a]=1&text_by_text[b]=2", { textByText: { a: "1", b: "2" } }],
    ["textByText%5Ba%5D=1", { textByText: { a: "1" } }],
    ["textByText[a]=1&textByText[a]=1", { textByText: { a: "1" } }],
    ["textByText[a.b]=1", { textByText: { "a.b": "1" } }],
    ["textByText[a][b]=1", { textByText: { "a][b": "1" } }],
    ["textByText[]=", { textByText: { "": "" } }],
    ["textByText[%0A]=a%3Db", { textByText: { "\n": "a=b" } }],
    [
      "genre_by_int32[-1]=novel&genreByInt32[2]=2",
      { genreByInt32: { "-1": "GENRE_NOVEL", 2: "GENRE_ESSAY" } },
    ],
    ["double_by_uint64[18446744073709551615]=1.5", { doubleByUint64: { "18446744073709551615": 1.5 } }],
    ["bytes_by_bool[true]=_w", { bytesByBool: { true: "/w==" } }],
    ["timestamp_by_sint64[-5]=2026-01-02T03:04:05Z", { timestampBySint64: { "-5": "2026-01-02T03:04:05Z" } }],
    ["nested.nested.text_by_text[a]=1", { nested: { nested: { textByText: { a: "1" } } } }],
  ])("%s", (query, message) => {
    expect(bound(`${GET}?${query}`, undefined, withMaps)).toEqual(message);
  });

  test("is an own member, whatever its key", () => {
    const message = bound(`${GET}?textByText[__proto__]=x&textByText[constructor]=y`, undefined, withMaps);
    const { textByText = {} } = message as { textByText?: object };
    expect(Object.entries(textByText)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test.each<[query: string, ...expected: string[]]>([
    ["textByText[a]=1&text_by_text[a]=2", `text_by_text[a] ${TWICE}`],
    ["bytesByBool[maybe]=_w", `bytesByBool[maybe] ${BOOLEAN.replace("TYPE ", "TYPE has a key that ")}`],
    ["genreByInt32[x]=1", `genreByInt32[x] ${INTEGER.replace("TYPE ", "TYPE has a key that ")}`],
    ["genreByInt32[1]=poem", `genreByInt32[1] ${GENRE}`],
    ["timestampBySint64[1]=x", `timestampBySint64[1] ${notForm("Timestamp")}`],
    ["publisherByText[a]=x", `publisherByText[a] ${notText("library.v1.Publisher")}`],
    ["textByText=a", "textByText INVALID_TYPE is a map; write textByText[key]=value"],
    ["strings[0]=a", "strings[0] UNKNOWN_PARAMETER"],
    ["nope[0]=a", "nope[0] UNKNOWN_PARAMETER"],
    ["textByText[a=1", "textByText[a UNKNOWN_PARAMETER"],
    ["textByText[a]b=1", "textByText[a]b UNKNOWN_PARAMETER"],
    ["[a]=1", "[a] UNKNOWN_PARAMETER"],
    ["publisherByText[a].name=x", "publisherByText[a].name UNKNOWN_PARAMETER"],
  ])("invalid: %s", (query, ...expected) => {
    const found = violations(`${GET}?${query}`, undefined, withMaps).map((each) =>
      each.replace(/ is not a parameter here; allowed: .*/, ""),
    );
    expect(found).toEqual(expected);
  });

  test("are misplaced beside a body that is the message", () => {
    expect(violations(`${POST}?textByText[a]=1`, json({}), withMaps)).toEqual([
      "textByText[a] UNKNOWN_PARAMETER is not a query parameter; this method takes its parameters from the body",
    ]);
  });
});

describe("by default, and over HTTP", () => {
  const service = defineService([
    { name: "ListBooks", input: "ListBooksRequest", rule: ruleOf("GET /v1/books") },
    { name: "FindBook", input: "Book", rule: ruleOf("GET /v1/books:find") },
    {
      name: "CreateBook",
      input: "Book",
      rule: { ...ruleOf("POST /v1/books"), body: "*" },
      options: { parametersAnywhere: true },
    },
  ]);
  const options = {
    routes: (router: { service: (...args: never[]) => unknown }) =>
      router.service(
        ...([
          service,
          { listBooks: ({ like }: { like: object }) => like, createBook: (book: object) => book },
        ] as never[]),
      ),
    transcoding: { mapParameters: true },
  } as never;
  const server = useOnePort(options);
  const handle = createTranscodingHandler(options);
  const labelsOf = async (response: Response) => {
    const { labels, error } = (await response.json()) as { labels?: object; error?: { message: string } };
    return [response.status, labels ?? error?.message];
  };

  test("one entry each", async () => {
    const path = "/v1/books?like.labels[color]=red&like.labels[size]=";
    const expected = [200, { color: "red", size: "" }];
    expect(await labelsOf(await fetch(server.url + path))).toEqual(expected);
    expect(await labelsOf(await handle(new Request(`http://localhost${path}`)))).toEqual(expected);
  });

  test.each([
    ["application/x-www-form-urlencoded", "labels[a]=1&labels[b]=2", [200, { a: "1", b: "2" }]],
    ["application/json", '{"labels":{"b":"2"}}', [200, { a: "1", b: "2" }]],
    ["application/json", '{"labels":{"a":"1"}}', [200, { a: "1" }]],
    [
      "application/json",
      '{"labels":{"a":"2"}}',
      [400, `labels[a]: ${TWICE.replace("CONFLICTING_VALUES ", "")}`],
    ],
  ])("beside a body of %s: %s", async (type, body, expected) => {
    const query = type.endsWith("json") ? "?labels[a]=1" : "";
    const init = { method: "POST", headers: { "content-type": type }, body };
    expect(await labelsOf(await fetch(`${server.url}/v1/books${query}`, init))).toEqual(expected);
  });

  test("a list of parameters has what a query can hold", async () => {
    const [, message] = await labelsOf(await fetch(`${server.url}/v1/books?nope=1`));
    expect(message).toBe("nope: is not a parameter here; allowed: pageSize, like.*");
    const [, inMap] = await labelsOf(await fetch(`${server.url}/v1/books:find?nope=1`));
    expect(inMap).toMatch(/publisher\.\*, room, floor, labels\[\*\], acquired/);
  });

  test("they are unknown", () => {
    expect(violations(`${GET}?textByText[a]=1`, undefined)).toEqual([
      expect.stringMatching(/^textByText\[a\] UNKNOWN_PARAMETER/),
    ]);
  });
});
