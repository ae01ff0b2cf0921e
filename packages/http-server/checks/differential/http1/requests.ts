import { readFileSync } from "node:fs";
import { join } from "node:path";
import { damage, listOf, type Random } from "connect-transcoding-testing/random.js";
import { END_REQUEST } from "./readings.js";

/**
 * Which part of a request a mutation replaces: its line, the line of a header, the line before the first chunk, the CRLF after its
 * data, the last chunk with the trailer section, or one CRLF of the head. Nothing is replaced by a line at a random place, and by text
 * before the request. The text of a version may have further lines.
 */
const PARTS = "start|version|host|length|coding|size|data end|last chunk|break|line|before".split("|");

/** A way to change a request: one of the texts takes the place of a part. */
interface Mutation {
  readonly part: string;
  readonly label: string;
  readonly texts: readonly string[];
}

const ESCAPES: Readonly<Record<string, string>> = { r: "\r", n: "\n", t: "\t", "0": "\0", "\\": "\\" };
const FIELDS_200 = Array.from({ length: 200 }, (_, index) => `x-${index}: a`).join("\r\n");

function mutationIn(line: string): Mutation[] {
  if (line === "" || line.startsWith("#")) {
    return [];
  }
  const [part = "", label = "", ...texts] = line.split(" | ");
  if (!PARTS.includes(part) || texts.length === 0) {
    throw new Error(`mutations.txt has an unknown part, or no texts: ${line}`);
  }
  return [{ part, label, texts: texts.map(unescaped) }];
}

function unescaped(text: string): string {
  return text
    .replaceAll(/\\(?:x(..)|(.))/g, (_, code?: string, char = "") =>
      code === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll(/\{(.)\*(\d+)\}/g, (_, char: string, times: string) => char.repeat(Number(times)))
    .replace("{fields}", FIELDS_200)
    .replace("{}", "");
}

const [UNUSUAL = [], INVALID = []] = readFileSync(join(import.meta.dirname, "mutations.txt"), "utf8")
  .split("\n\n")
  .slice(1)
  .map((section) => section.split("\n").flatMap(mutationIn));

/** The bytes of a connection, and how they were changed. */
export interface Sent {
  readonly bytes: Buffer;
  /** The names of all mutations; empty for plain requests. */
  readonly labels: readonly string[];
}

/** A request in the parts that mutations replace. */
interface Message {
  readonly method: string;
  readonly target: string;
  readonly body: "none" | "length" | "chunked";
  readonly data: string;
  readonly chunks: readonly string[];
}

const TARGETS = ["/", "/a", "/a/b?c=d", "/a%20b?c=%26", "/a;b=c/~d?e=f&g", "/a.b/:c@d/e,f!$&'()*+=?/?"];
const FIELDS = [
  ...["X-A: b", "x-c:d", "X-E:  f g \t", "Accept: */*", "Cookie: a=b; c=d", 'x-json: {"a":[1,2]}', "X-A: c"],
  "User-Agent: curl/8.0 (x)",
];
const DATA = ["hello", "a", "GET /smuggled HTTP/1.1\r\nHost: s\r\n\r\n", "0\r\n\r\n", "\r\n", "\0\xff\x80"];

/** Creates one to three requests, of which one is changed, and the final request. */
export function anyRequests(random: Random): Sent {
  const count = random.oneIn(2) ? 1 : 2 + random.below(2);
  const changed = random.below(count);
  const labels: string[] = [];
  const parts = Array.from({ length: count }, (_, index) =>
    index === changed ? changedRequest(random, labels) : plainRequest(random),
  );
  return { bytes: Buffer.concat([...parts, Buffer.from(END_REQUEST)]), labels };
}

function changedRequest(random: Random, labels: string[]): Buffer {
  const kind = random.below(20);
  if (kind === 0) {
    return plainRequest(random);
  }
  if (kind > 16) {
    labels.push("changed bytes");
    return damage(random, plainRequest(random));
  }
  const mutations = [random.pick(kind < 7 ? UNUSUAL : INVALID)];
  if (kind === 16) {
    // Two parts of one request.
    const other = random.pick(random.oneIn(2) ? UNUSUAL : INVALID);
    mutations.push(...(other.part === mutations[0]?.part ? [] : [other]));
  }
  const message = anyMessage(random, mutations);
  labels.push(...mutations.map(({ label }) => label));
  const parts = mutations.map(({ part, texts }) => [part, fill(random.pick(texts), message)] as const);
  return format(message, new Map(parts), random);
}

function plainRequest(random: Random): Buffer {
  return format(anyMessage(random, []), new Map(), random);
}

const CHUNKED_PARTS = ["coding", "size", "data end", "last chunk"];

/** A request that has the parts of some mutations. */
function anyMessage(random: Random, mutations: readonly Mutation[]): Message {
  const has = (parts: readonly string[]) => mutations.some(({ part }) => parts.includes(part));
  const needed = has(CHUNKED_PARTS) ? "chunked" : has(["length"]) ? "length" : undefined;
  const body = needed ?? random.pick(["none", "none", "length", "chunked"] as const);
  const chunks = Array.from({ length: 1 + random.below(2) }, () => random.pick(DATA));
  const methods = body === "none" ? "GET GET HEAD DELETE OPTIONS" : "POST POST PUT PATCH GET DELETE";
  return {
    method: random.pick(methods.split(" ")),
    target: random.pick(TARGETS),
    body,
    data: chunks.join(""),
    chunks,
  };
}

function fill(text: string, { method, target, data, chunks }: Message): string {
  return text
    .replaceAll("{m}", method)
    .replaceAll("{t}", () => target)
    .replaceAll("{n}", String(data.length))
    .replaceAll("{+}", String(data.length + 30))
    .replaceAll("{s}", sizeOf(chunks[0] ?? ""));
}

function sizeOf(chunk: string): string {
  return chunk.length.toString(16);
}

/** Formats a request with some parts replaced. */
function format(message: Message, parts: ReadonlyMap<string, string>, random: Random): Buffer {
  const { method, target, body, data, chunks } = message;
  const host = parts.get("host") ?? "Host: a.example";
  let start = parts.get("version") ?? parts.get("start") ?? `${method} ${target} HTTP/1.1`;
  const lines: string[] = [];
  if (host === "absolute") {
    start = `${method} http://a.example${target} HTTP/1.1`;
  } else if (host === "1.0") {
    start = `${method} ${target} HTTP/1.0`;
  } else {
    lines.push(host);
  }
  const framing = {
    none: [],
    length: [parts.get("length") ?? `Content-Length: ${data.length}`],
    chunked: [parts.get("coding") ?? "Transfer-Encoding: chunked"],
  };
  const line = parts.get("line");
  const added = [...listOf(random, 4, () => random.pick(FIELDS)), ...framing[body]];
  for (const each of line === undefined ? added : [...added, line]) {
    lines.splice(random.below(lines.length + 1), 0, each);
  }
  const head = [start, ...lines, ""];
  const broken = parts.has("break") ? random.below(head.length) : -1;
  const text = head.map((each, index) => each + (index === broken ? parts.get("break") : "\r\n")).join("");
  const content = { none: "", length: data, chunked: formatChunks(chunks, parts) }[body];
  return Buffer.from((parts.get("before") ?? "") + text + content, "latin1");
}

function formatChunks(chunks: readonly string[], parts: ReadonlyMap<string, string>): string {
  const texts = chunks.map((chunk, index) => {
    const part = (name: string) => (index === 0 ? parts.get(name) : undefined);
    return (part("size") ?? `${sizeOf(chunk)}\r\n`) + chunk + (part("data end") ?? "\r\n");
  });
  return texts.join("") + (parts.get("last chunk") ?? "0\r\n\r\n");
}
