import {
  SpecimenSchema,
  StoreSpecimenRequestSchema,
} from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import {
  anyNoise,
  anyValue,
  damageText,
  escapeText,
  listOf,
  type Random,
  randomBytes,
  tower,
} from "../lib/random.js";

/** The maximum length of targets and bodies: the defaults of Node and of this server. */
const MAX_TARGET = 16 * 1024;
const MAX_BODY = 64 * 1024;

/** A request as the engine receives it. */
export interface EngineRequest {
  readonly httpMethod: string;
  readonly target: string;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: Uint8Array;
}

/** An HTTP method and path for each kind of route. */
const ROUTES = `
  GET /v1/specimens, POST /v1/specimens, PUT /v1/stores/a, PUT /v1/stores/a/lenders, PATCH /v1/stores/a/5, PUT /v1/files/a,
  POST /v1/dump, POST /v1/loans, GET /v1/search, POST /v1/shelves/1/books, PATCH /v1/shelves/1/books/2,
  POST /v1/shelves/1/books/2:archive, GET /v1/halls/1/shelves/2/3/4, GET /v1/halls/1/2/shelves/3, POST /v1/halls,
  GET /v1/books/2001:db8::1, GET /v1/novel/7/_-8/1.5/false/-9, GET /`
  .split(",")
  .map((route) => route.trim());

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Strings that are repeated to build a large query or form. */
const QUERY_PARTS =
  "a&|&|=|=&|a=&|%|%41|%2F|+|.|nested.|like.publisher.parent.|strings=a&|int32_value=1&|action=borrow&|action=a&action=b&|nested.strings=a&|title=%C3%A9&".split(
    "|",
  );
/** Strings that are repeated to build a long path. */
const PATH_PARTS = "/ /a /%41 /%2F : /: /a:archive % /.. /é".split(" ");
/** Members that contain nested or large JSON. */
const MEMBERS = "action title nested strings publishers struct value any textByText nope book".split(" ");
const NESTINGS = ["[", '{"a":', '{"nested":', '{"parent":', '[{"nested":', '{"value":[', '{"fields":{"a":'];
const ELEMENTS = ["1", '"a"', "{}", "[]", "null", '{"name":1}', '"\\u0041"', "1e1000", "0".padEnd(40, "9")];

/** Yields requests of maximum size, depth or number of parts for each route. They are the same in every run. */
export function* hostileRequests(): Iterable<EngineRequest> {
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
  for (const part of ["[", '{"a":', '"', "\\", "9"]) {
    yield part.repeat(MAX_BODY / part.length);
  }
  yield `{${numbered((index) => `"n${index}":1`, MAX_BODY - 100, ",")}}`;
  for (const member of MEMBERS) {
    const room = MAX_BODY - member.length - 20;
    for (const opening of NESTINGS) {
      const closing = closingOf(opening);
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

/** The brackets that close others, in the order in which they close. */
function closingOf(opening: string): string {
  const brackets = opening.replaceAll(/[^[{]/g, "").replaceAll("[", "]").replaceAll("{", "}");
  return [...brackets].toReversed().join("");
}

/** Joins different strings up to a maximum length. */
function numbered(write: (index: number) => string, max: number, separator: string): string {
  const parts: string[] = [];
  for (let length = 0; length < max; length += (parts.at(-1)?.length ?? 0) + separator.length) {
    parts.push(write(parts.length));
  }
  return parts.slice(0, -1).join(separator);
}

function request(httpMethod: string, target: string, contentType?: string, body = ""): EngineRequest {
  return { httpMethod, target, contentType, contentEncoding: undefined, body: Buffer.from(body) };
}

const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "BREW", "get", "", "*", "__proto__"];
const TYPES = [
  ...[JSON_TYPE, JSON_TYPE, JSON_TYPE, JSON_TYPE, FORM_TYPE, FORM_TYPE, undefined, "", ";", "\0"],
  ...["application/json; charset=utf-8", 'application/json;charset="UTF-8";;='],
  ...["application/json; charset=utf-16", "text/plain", "multipart/form-data; boundary=a"],
];
const NAMES = [
  ...[SpecimenSchema, StoreSpecimenRequestSchema].flatMap(({ fields }) =>
    fields.flatMap(({ name, jsonName }) => [name, jsonName]),
  ),
  ..."action title days id like book format nope __proto__ @type value".split(" "),
  "",
];

/** Returns a random request: a slightly changed valid one, or an arbitrary one. */
export function anyRequest(random: Random): EngineRequest {
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
    return tower(random, MAX_TARGET, PATH_PARTS);
  }
  const changed = random.oneIn(6) ? damageText(random, rightPath) : rightPath;
  const path = random.oneIn(15) ? anyNoise(random, 40) : changed;
  const query = random.oneIn(2) ? `?${anyForm(random, MAX_TARGET - 1024)}` : "";
  return (path + (random.oneIn(5) ? damageText(random, query) : query)).slice(0, MAX_TARGET);
}

/** Returns the names and values of a query or form, escaped correctly or not at all. */
function anyForm(random: Random, max: number): string {
  if (random.oneIn(500)) {
    return tower(random, max, QUERY_PARTS);
  }
  const pairs = listOf(random, 2 + random.size(300), () => {
    const name = Array.from({ length: 1 + random.size(8) }, () => random.pick(NAMES)).join(".");
    const value = anyValue(random);
    return random.oneIn(3) ? `${name}=${value}` : `${escapeText(name)}=${escapeText(value)}`;
  });
  return pairs.join(random.oneIn(20) ? ";" : "&").slice(0, max);
}

function anyBody(random: Random, contentType: string): Uint8Array {
  if (random.oneIn(10)) {
    return randomBytes(random, random.size(MAX_BODY));
  }
  const text = contentType.startsWith(FORM_TYPE) ? anyForm(random, MAX_BODY) : anyJsonText(random);
  const bytes = Buffer.from(random.oneIn(6) ? damageText(random, text) : text).subarray(0, MAX_BODY);
  if (bytes.length > 0 && random.oneIn(20)) {
    bytes[random.below(bytes.length)] = random.below(256);
  }
  return bytes;
}

function anyJsonText(random: Random): string {
  const member = random.pick(MEMBERS);
  switch (random.below(300)) {
    case 0: {
      const others = ['{"struct":{"a":', '{"listValue":[[', '{"publisherByText":{"a":'];
      const opening = random.pick([...NESTINGS, ...others]);
      const depth = Math.floor(MAX_BODY / opening.length / (2 + random.size(2)));
      const nested = `${opening.repeat(depth)}1${closingOf(opening).repeat(depth)}`;
      return random.oneIn(3) ? nested : `{"${member}":${nested}}`;
    }
    case 1: {
      const item = random.pick(ELEMENTS);
      return `{"${member}":[${`${item},`.repeat(MAX_BODY / (item.length + 1) - 5)}1]}`;
    }
    case 2: {
      const name = () => (random.oneIn(2) ? "n" : "");
      return `{"${random.pick(["genreByInt32", member])}":{${numbered((index) => `"${name()}${index}":1`, 20_000, ",")}}}`;
    }
    default:
      return anyJson(random, 5);
  }
}

const SCALARS = "true false null -0 1e400 1E-7 9007199254740993 1.0 -1 1e19 {} []".split(" ");

function anyJson(random: Random, depth: number): string {
  const inner = () => anyJson(random, depth - 1);
  switch (random.below(depth > 0 ? 10 : 5)) {
    case 0:
    case 1:
      return random.pick(SCALARS);
    case 2:
      return random.oneIn(200) ? "9".repeat(random.size(MAX_BODY)) : String(random.below(2 ** 31));
    case 3:
    case 4:
      return JSON.stringify(anyValue(random));
    case 5:
      return `[${listOf(random, 4, inner).join(",")}]`;
    default:
      return `{${listOf(random, 6, () => `${JSON.stringify(random.pick(NAMES))}:${inner()}`).join(",")}}`;
  }
}
