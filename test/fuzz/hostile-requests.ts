import type { FuzzRequest } from "./requests.js";

/** The longest target and body that are sent: what Node and this project's server take by default. */
export const MAX_TARGET = 16 * 1024;
export const MAX_BODY = 64 * 1024;

/** A verb and a path of each kind of route that the fuzz knows. */
export const ROUTES = [
  "GET /v1/specimens",
  "POST /v1/specimens",
  "PUT /v1/stores/a",
  "PUT /v1/stores/a/lenders",
  "PATCH /v1/stores/a/5",
  "PUT /v1/files/a",
  "POST /v1/dump",
  "POST /v1/loans",
  "GET /v1/search",
  "POST /v1/shelves/1/books",
  "PATCH /v1/shelves/1/books/2",
  "POST /v1/shelves/1/books/2:archive",
  "GET /v1/halls/1/shelves/2/3/4",
  "GET /v1/books/2001:db8::1",
  "GET /v1/novel/7/_-8/1.5/false/-9",
  "GET /",
] as const;

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Texts that, said again and again, make a large query or form. */
const QUERY_PARTS = [
  "a&",
  "&",
  "=",
  "=&",
  "a=&",
  "%",
  "%41",
  "%2F",
  "+",
  ".",
  "nested.",
  "like.publisher.parent.",
  "strings=a&",
  "int32_value=1&",
  "action=borrow&",
  "action=a&action=b&",
  "nested.strings=a&",
  "title=%C3%A9&",
];

/** Texts that make a long path. */
const PATH_PARTS = ["/", "/a", "/%41", "/%2F", ":", "/:", "/a:archive", "%", "/..", "/é"];

/** Members that JSON is nested in, or that are filled with much of one kind. */
const MEMBERS = [
  "action",
  "title",
  "nested",
  "strings",
  "publishers",
  "struct",
  "value",
  "any",
  "textByText",
  "nope",
  "book",
];

const NESTINGS = ["[", '{"a":', '{"nested":', '{"parent":', '[{"nested":', '{"value":[', '{"fields":{"a":'];

const ELEMENTS = ["1", '"a"', "{}", "[]", "null", '{"name":1}', '"\\u0041"', "1e1000", "0".padEnd(40, "9")];

/**
 * Requests that are as large, as deep or as many-parted as they can be, for each of the routes: the worst that one can
 * think of, and always the same.
 */
export function* hostileRequests(): Iterable<FuzzRequest> {
  for (const part of PATH_PARTS) {
    yield request("GET", part.repeat(MAX_TARGET / part.length));
    yield request("GET", `/v1/files${part.repeat((MAX_TARGET - 9) / part.length)}`);
  }
  for (const route of ROUTES) {
    const [verb = "", path = ""] = route.split(" ");
    for (const part of QUERY_PARTS) {
      const query = part.repeat((MAX_TARGET - path.length - 1) / part.length);
      yield request(verb, `${path}?${query}`);
      if (verb !== "GET") {
        yield request(verb, path, FORM_TYPE, part.repeat(MAX_BODY / part.length));
      }
    }
    yield request(verb, `${path}?${numbered((index) => `n${index}`, MAX_TARGET - 100, "&")}`);
    if (verb !== "GET") {
      for (const text of hostileJson()) {
        yield request(verb, path, JSON_TYPE, text);
      }
    }
  }
}

function* hostileJson(): Iterable<string> {
  yield "[".repeat(MAX_BODY);
  yield '{"a":'.repeat(MAX_BODY / 5);
  yield '"'.repeat(MAX_BODY);
  yield "\\".repeat(MAX_BODY);
  yield "9".repeat(MAX_BODY);
  yield `{${numbered((index) => `"n${index}":1`, MAX_BODY - 100, ",")}}`;
  for (const member of MEMBERS) {
    const room = MAX_BODY - member.length - 20;
    for (const opening of NESTINGS) {
      const closing = [...opening]
        .flatMap((each) => ({ "[": "]", "{": "}" })[each] ?? [])
        .toReversed()
        .join("");
      const depth = Math.floor(room / (opening.length + closing.length));
      yield `{"${member}":${opening.repeat(depth)}1${closing.repeat(depth)}}`;
      yield opening.repeat(depth) + closing.repeat(depth).padStart(1, "1");
    }
    for (const element of ELEMENTS) {
      yield `{"${member}":[${`${element},`.repeat(room / (element.length + 1) - 1)}${element}]}`;
    }
    yield `{"${member}":"${"a".repeat(room)}"}`;
    yield `{"${member}":"${"\\n".repeat(room / 2)}"}`;
    yield `{"${member}":{${numbered((index) => `"${index}":1`, room, ",")}}}`;
    yield `{"${member}":{${numbered((index) => `"n${index}":{}`, room, ",")}}}`;
  }
}

/** Different texts, as many as fit. */
function numbered(write: (index: number) => string, max: number, separator: string): string {
  const parts: string[] = [];
  for (let length = 0; length < max; ) {
    const part = write(parts.length);
    parts.push(part);
    length += part.length + separator.length;
  }
  return parts.slice(0, -1).join(separator);
}

function request(verb: string, target: string, contentType?: string, body = ""): FuzzRequest {
  return { verb, target, contentType, contentEncoding: undefined, body: new TextEncoder().encode(body) };
}
