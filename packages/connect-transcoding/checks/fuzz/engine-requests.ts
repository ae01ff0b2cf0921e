import {
  SpecimenSchema,
  StoreSpecimenRequestSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";

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
  ...[JSON_TYPE, FORM_TYPE, undefined, "", ";", "\0"],
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

/** Edge cases of various types, separated by spaces. The last ones have none in the list. */
const VALUES = [
  ..."0 -0 1 -1 1.5 1e2 1e999 1e-999 1e9999999999 NaN Infinity -Infinity 2147483648 -2147483649".split(" "),
  ..."9007199254740993 9223372036854775808 18446744073709551616 true false null novel GENRE_ESSAY".split(" "),
  ..."borrow return AA== _-8 = 1s -315576000001s 1.0000000001s 2026-01-02T03:04:05Z a.bC,d .. {} []".split(
    " ",
  ),
  ..."2026-02-30T24:60:60Z 0001-01-01T00:00:00+23:59 __proto__ constructor é 😀 \ud800 \0 \u2028".split(" "),
  "",
];
const SCALARS = "true false null -0 1e400 1E-7 9007199254740993 1.0 -1 1e19 {} []".split(" ");

/** Text of characters that have a meaning somewhere. */
const NOISE = fc.string({
  unit: fc.constantFrom(..."/%%2FfcC3A9:?&=+#;.,*{}[]\"\\'<> \0\u007f\u0080éa1é😀\uffff", "\ud800", "\udc00"),
  maxLength: 40,
});
const LONG = fc
  .tuple(fc.constantFrom("1", "a", "%41", "AAAA", " "), fc.nat(4_096))
  .map(([part, times]) => part.repeat(times));
const VALUE = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 3, arbitrary: NOISE },
  { weight: 1, arbitrary: LONG },
);

/** A text, in one of six cases with a part that is replaced. */
function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const replaced = fc.tuple(text, fc.nat(), fc.nat(4), VALUE).map(([whole, at, length, part]) => {
    const start = at % (whole.length + 1);
    return whole.slice(0, start) + part + whole.slice(start + length);
  });
  return fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: replaced });
}

/** Names and values of a query or form, escaped correctly or not at all. */
const FORM = fc
  .array(
    fc
      .tuple(fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 8 }), VALUE, fc.boolean())
      .map(([names, value, isEscaped]) =>
        [names.join("."), value].map((text) => (isEscaped ? escapeText(text) : text)).join("="),
      ),
    { maxLength: 12 },
  )
  .map((pairs) => pairs.join("&"));

/** An unpaired surrogate has no encoding. */
const escapeText = (text: string) => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "?"));

const { json: JSON_TEXT } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(...SCALARS),
    fc.nat().map(String),
    VALUE.map((value) => JSON.stringify(value)),
    fc.array(tie("json"), { maxLength: 4 }).map((items) => `[${items}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...NAMES), tie("json")), { maxLength: 6 })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`),
  ),
}));

const JSON_BODY = damaged(JSON_TEXT).map((text) => Buffer.from(text));
const FORM_BODY = damaged(FORM).map((text) => Buffer.from(text));
const NO_BODY = fc.constant(Buffer.alloc(0));
const CONTENT = fc.oneof(
  fc.record({ contentType: fc.constant(JSON_TYPE), body: JSON_BODY }),
  fc.record({ contentType: fc.constant(FORM_TYPE), body: FORM_BODY }),
  fc.record({
    contentType: fc.constantFrom(...TYPES),
    body: fc.oneof(NO_BODY, JSON_BODY, FORM_BODY, fc.uint8Array({ maxLength: 2_000 })),
  }),
);

/** A slightly changed valid request, or an arbitrary one. */
export const ANY_REQUEST: fc.Arbitrary<EngineRequest> = fc.constantFrom(...ROUTES).chain((route) => {
  const [rightHttpMethod = "", rightPath = ""] = route.split(" ");
  const query = fc.option(damaged(FORM), { freq: 2 });
  return fc
    .record({
      httpMethod: fc.oneof(
        { weight: 9, arbitrary: fc.constant(rightHttpMethod) },
        { weight: 1, arbitrary: fc.constantFrom(...HTTP_METHODS) },
      ),
      target: fc
        .tuple(damaged(fc.constant(rightPath)), query)
        .map(([path, parameters]) =>
          (parameters === null ? path : `${path}?${parameters}`).slice(0, MAX_TARGET),
        ),
      contentEncoding: fc.oneof(
        { weight: 19, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom("identity", "gzip", "", "IDENTITY ", "br, gzip") },
      ),
      content: CONTENT,
    })
    .map(({ content: { contentType, body }, ...head }) => {
      return { ...head, contentType, body: body.subarray(0, MAX_BODY) };
    });
});
