import type { DescMessage } from "@bufbuild/protobuf";
import {
  SpecimenSchema,
  StoreSpecimenRequestSchema,
} from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import type { Random } from "./random.js";
import { anyNoise, anyValue, escapeText, mutate, tower } from "./texts.js";

/** The maximum length of targets and bodies: the defaults of Node and of this server. */
export const MAX_TARGET = 16 * 1024;
export const MAX_BODY = 64 * 1024;

/** An HTTP method and path for each kind of route. */
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
  "GET /v1/halls/1/2/shelves/3",
  "POST /v1/halls",
  "GET /v1/books/2001:db8::1",
  "GET /v1/novel/7/_-8/1.5/false/-9",
  "GET /",
] as const;

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Strings that are repeated to build a large query or form. */
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

/** Strings that are repeated to build a long path. */
const PATH_PARTS = ["/", "/a", "/%41", "/%2F", ":", "/:", "/a:archive", "%", "/..", "/é"];

/** Members that contain nested or large JSON. */
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

/** Yields requests of maximum size, depth or number of parts for each route. They are the same in every run. */
export function* hostileRequests(): Iterable<FuzzRequest> {
  for (const part of PATH_PARTS) {
    yield request("GET", part.repeat(MAX_TARGET / part.length));
    yield request("GET", `/v1/files${part.repeat((MAX_TARGET - 9) / part.length)}`);
  }
  for (const route of ROUTES) {
    const [httpMethod = "", path = ""] = route.split(" ");
    for (const part of QUERY_PARTS) {
      const query = part.repeat((MAX_TARGET - path.length - 1) / part.length);
      yield request(httpMethod, `${path}?${query}`);
      if (httpMethod !== "GET") {
        yield request(httpMethod, path, FORM_TYPE, part.repeat(MAX_BODY / part.length));
      }
    }
    yield request(httpMethod, `${path}?${numbered((index) => `n${index}`, MAX_TARGET - 100, "&")}`);
    if (httpMethod !== "GET") {
      for (const text of hostileJson()) {
        yield request(httpMethod, path, JSON_TYPE, text);
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

/** Joins different strings up to a maximum length. */
function numbered(write: (index: number) => string, max: number, separator: string): string {
  const parts: string[] = [];
  for (let length = 0; length < max; ) {
    const part = write(parts.length);
    parts.push(part);
    length += part.length + separator.length;
  }
  return parts.slice(0, -1).join(separator);
}

function request(httpMethod: string, target: string, contentType?: string, body = ""): FuzzRequest {
  return {
    httpMethod,
    target,
    contentType,
    contentEncoding: undefined,
    body: new TextEncoder().encode(body),
  };
}

/** A request as the engine receives it. */
export interface FuzzRequest {
  readonly httpMethod: string;
  readonly target: string;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: Uint8Array;
}

const HTTP_METHODS = [
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "BREW",
  "get",
  "",
  "*",
  "__proto__",
] as const;

const TYPES = [
  JSON_TYPE,
  JSON_TYPE,
  JSON_TYPE,
  JSON_TYPE,
  FORM_TYPE,
  FORM_TYPE,
  undefined,
  "",
  ";",
  "application/json; charset=utf-8",
  'application/json;charset="UTF-8";;=',
  "application/json; charset=utf-16",
  "text/plain",
  "multipart/form-data; boundary=a",
  "\0",
] as const;

const NAMES = namesOf([SpecimenSchema, StoreSpecimenRequestSchema]);

function namesOf(types: readonly DescMessage[]): readonly [string, ...string[]] {
  const own = types.flatMap(({ fields }) => fields.flatMap(({ name, jsonName }) => [name, jsonName]));
  return [
    "action",
    ...own,
    "title",
    "days",
    "id",
    "like",
    "book",
    "format",
    "nope",
    "",
    "__proto__",
    "@type",
    "value",
  ];
}

/** Returns a random request: a slightly changed valid one, or an arbitrary one. */
export function anyRequest(random: Random): FuzzRequest {
  const [rightHttpMethod = "", rightPath = ""] = random.pick(ROUTES).split(" ");
  const contentType = random.pick(TYPES);
  const noBody = rightHttpMethod === "GET" ? !random.oneIn(10) : random.oneIn(6);
  return {
    httpMethod: random.oneIn(10) ? random.pick(HTTP_METHODS) : rightHttpMethod,
    target: anyTarget(random, rightPath),
    contentType,
    contentEncoding: random.oneIn(20)
      ? random.pick(["identity", "gzip", "", "IDENTITY ", "br, gzip"])
      : undefined,
    body: noBody ? new Uint8Array() : anyBody(random, contentType ?? ""),
  };
}

function anyTarget(random: Random, rightPath: string): string {
  if (random.oneIn(500)) {
    return tower(random, MAX_TARGET, ["/a", "/", "/%41", "/a:archive", "%2F"]);
  }
  const path = random.oneIn(15)
    ? anyNoise(random, 40)
    : random.oneIn(6)
      ? mutate(random, rightPath)
      : rightPath;
  const query = random.oneIn(2) ? `?${anyForm(random, MAX_TARGET - 1024)}` : "";
  return (path + (random.oneIn(5) ? mutate(random, query) : query)).slice(0, MAX_TARGET);
}

/** Returns the names and values of a query or form, escaped correctly or not at all. */
function anyForm(random: Random, max: number): string {
  if (random.oneIn(500)) {
    return tower(random, max, [
      "nested.",
      "a&",
      "a=&",
      "%",
      "&",
      "strings=a&",
      "like.publisher.parent.",
      "int32_value=1&",
    ]);
  }
  const pairs: string[] = [];
  for (let index = 1 + random.size(300); index > 0; index--) {
    const name = Array.from({ length: 1 + random.size(8) }, () => random.pick(NAMES)).join(".");
    const value = anyValue(random);
    pairs.push(random.oneIn(3) ? `${name}=${value}` : `${escapeText(name)}=${escapeText(value)}`);
  }
  return pairs.join(random.oneIn(20) ? ";" : "&").slice(0, max);
}

function anyBody(random: Random, contentType: string): Uint8Array {
  if (random.oneIn(10)) {
    return Uint8Array.from({ length: random.size(MAX_BODY) }, () => random.below(256));
  }
  const text = contentType.startsWith(FORM_TYPE) ? anyForm(random, MAX_BODY) : anyJsonText(random);
  const bytes = new TextEncoder().encode(random.oneIn(6) ? mutate(random, text) : text).slice(0, MAX_BODY);
  if (bytes.length > 0 && random.oneIn(20)) {
    bytes[random.below(bytes.length)] = random.below(256);
  }
  return bytes;
}

function anyJsonText(random: Random): string {
  if (random.oneIn(300)) {
    const open = [
      "[",
      '{"nested":',
      '{"a":',
      '{"struct":{"a":',
      '{"action":[',
      '{"listValue":[[',
      '{"publisherByText":{"a":',
    ] as const;
    const [opening, half] = [random.pick(open), 1 + random.size(2)];
    const depth = Math.floor(MAX_BODY / opening.length / (half + 1));
    const closing = opening.replaceAll(/[^[{]/g, "").replaceAll("[", "]").replaceAll("{", "}");
    const prefix = random.oneIn(3)
      ? ""
      : `{"${random.pick(["nested", "action", "title", "value", "strings"])}":`;
    return `${prefix}${opening.repeat(depth)}1${closing.repeat(depth)}${prefix === "" ? "" : "}"}`;
  }
  if (random.oneIn(300)) {
    const item = random.pick(['"a",', "1,", "{},", '"\\u0041",', "[[]],", "null,"]);
    const name = random.pick(["strings", "publishers", "int64s", "nope", "title", "lenders"]);
    return `{"${name}":[${item.repeat(MAX_BODY / item.length - 5)}1]}`;
  }
  if (random.oneIn(300)) {
    const members = Array.from({ length: 2000 }, (_, index) => `"${random.oneIn(2) ? "n" : ""}${index}":1`);
    return `{"${random.pick(["genreByInt32", "nested", "struct", "textByText"])}":{${members.join(",")}}}`;
  }
  return anyJson(random, 5);
}

function anyJson(random: Random, depth: number): string {
  switch (random.below(depth > 0 ? 10 : 5)) {
    case 0:
      return random.pick([
        "true",
        "false",
        "null",
        "-0",
        "1e400",
        "1E-7",
        "9007199254740993",
        "1.0",
        "-1",
        "1e19",
      ]);
    case 1:
      return random.oneIn(200) ? "9".repeat(random.size(MAX_BODY)) : String(random.below(2 ** 31));
    case 2:
    case 3:
      return JSON.stringify(anyValue(random));
    case 4:
      return random.oneIn(2) ? "{}" : "[]";
    case 5:
      return `[${Array.from({ length: random.below(4) }, () => anyJson(random, depth - 1)).join(",")}]`;
    default:
      return `{${Array.from(
        { length: random.below(6) },
        () => `${JSON.stringify(random.pick(NAMES))}:${anyJson(random, depth - 1)}`,
      ).join(",")}}`;
  }
}

/** Formats a request for display, shortened. */
export function describeRequest({
  httpMethod,
  target,
  contentType,
  contentEncoding,
  body,
}: FuzzRequest): string {
  const text = Buffer.from(body).toString("latin1");
  const cut = (each: string) => (each.length > 300 ? `${each.slice(0, 300)}… (${each.length})` : each);
  return JSON.stringify({ httpMethod, target: cut(target), contentType, contentEncoding, body: cut(text) });
}
