import type { DescMessage } from "@bufbuild/protobuf";
import {
  SpecimenSchema,
  StoreSpecimenRequestSchema,
} from "../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { MAX_BODY, MAX_TARGET, ROUTES } from "./hostile-requests.js";
import type { Random } from "./random.js";
import { anyNoise, anyValue, escapeText, mutate, tower } from "./texts.js";

/** A request as the engine gets it. */
export interface FuzzRequest {
  readonly verb: string;
  readonly target: string;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly body: Uint8Array;
}

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "BREW", "get", "", "*", "__proto__"] as const;

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
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

/** Some request: near one that is right, or far from all. */
export function anyRequest(random: Random): FuzzRequest {
  const [rightVerb = "", rightPath = ""] = random.pick(ROUTES).split(" ");
  const contentType = random.pick(TYPES);
  const noBody = rightVerb === "GET" ? !random.oneIn(10) : random.oneIn(6);
  return {
    verb: random.oneIn(10) ? random.pick(VERBS) : rightVerb,
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

/** Names and values as a query or a form has them, escaped as they should be or not at all. */
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
  const octets = new TextEncoder().encode(random.oneIn(6) ? mutate(random, text) : text).slice(0, MAX_BODY);
  if (octets.length > 0 && random.oneIn(20)) {
    octets[random.below(octets.length)] = random.below(256);
  }
  return octets;
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

/** Only for telling of a request: its parts, cut short. */
export function describeRequest({ verb, target, contentType, contentEncoding, body }: FuzzRequest): string {
  const text = Buffer.from(body).toString("latin1");
  const cut = (each: string) => (each.length > 300 ? `${each.slice(0, 300)}… (${each.length})` : each);
  return JSON.stringify({ verb, target: cut(target), contentType, contentEncoding, body: cut(text) });
}
