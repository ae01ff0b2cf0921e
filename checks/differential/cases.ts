import type { Random } from "../fuzz/random.js";
import { FRAMING } from "./framing-mutations.js";
import { HEAD } from "./head-mutations.js";
import type { Mutation, Part } from "./mutation.js";
import { END_REQUEST } from "./reading.js";
import { UNUSUAL } from "./unusual-mutations.js";

const INVALID = [...FRAMING, ...HEAD];

/** The bytes of a connection, and how they were changed. */
export interface Case {
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

const TARGETS = [
  "/",
  "/a",
  "/a/b?c=d",
  "/a%20b?c=%26",
  "/a;b=c/~d?e=f&g",
  "/a.b/:c@d/e,f!$&'()*+=?/?",
] as const;
const FIELDS = [
  "X-A: b",
  "x-c:d",
  "X-E:  f g \t",
  "Accept: */*",
  "Cookie: a=b; c=d",
  'x-json: {"a":[1,2]}',
  "X-A: c",
  "User-Agent: curl/8.0 (x)",
] as const;
const DATA = [
  "hello",
  "a",
  "GET /smuggled HTTP/1.1\r\nHost: s\r\n\r\n",
  "0\r\n\r\n",
  "\r\n",
  "\0\xff\x80",
] as const;

/** Creates a case of one to three requests, of which one is changed, and of the final request. */
export function anyCase(random: Random): Case {
  const count = random.oneIn(2) ? 1 : 2 + random.below(2);
  const changed = random.below(count);
  const labels: string[] = [];
  const texts = Array.from({ length: count }, (_, index) =>
    index === changed ? changedRequest(random, labels) : plainRequest(random),
  );
  const text = texts.join("") + END_REQUEST;
  return { bytes: Buffer.from(text, "latin1"), labels };
}

function changedRequest(random: Random, labels: string[]): string {
  const kind = random.below(20);
  if (kind === 0) {
    return plainRequest(random);
  }
  const mutations: Mutation[] = [];
  if (kind < 17) {
    mutations.push(...oneOf(random, kind < 7 ? UNUSUAL : INVALID));
  }
  if (kind === 16) {
    // Two parts of one request.
    const others = oneOf(random, random.oneIn(2) ? UNUSUAL : INVALID);
    mutations.push(...others.filter(([part]) => part !== mutations[0]?.[0]));
  }
  const message = anyMessage(
    random,
    mutations.map(([part]) => part),
  );
  const parts = new Map<Part, string>();
  for (const [part, label, ...texts] of mutations) {
    labels.push(label);
    parts.set(part, fill(texts[random.below(texts.length)] ?? "", message));
  }
  const text = format(message, parts, random);
  return kind < 17 ? text : changeBytes(text, random, labels);
}

function oneOf(random: Random, mutations: readonly Mutation[]): readonly Mutation[] {
  const start = random.below(mutations.length);
  return mutations.slice(start, start + 1);
}

function plainRequest(random: Random): string {
  return format(anyMessage(random, []), new Map(), random);
}

function anyMessage(random: Random, parts: readonly Part[]): Message {
  const needsChunks = parts.some((part) => ["coding", "size", "data end", "last chunk"].includes(part));
  const needsLength = parts.includes("length");
  let body: Message["body"] = random.pick(["none", "none", "length", "chunked"]);
  if (needsChunks || needsLength) {
    body = needsChunks ? "chunked" : "length";
  }
  const chunks = Array.from({ length: 1 + random.below(2) }, () => random.pick(DATA));
  return {
    method:
      body === "none"
        ? random.pick(["GET", "GET", "HEAD", "DELETE", "OPTIONS"])
        : random.pick(["POST", "POST", "PUT", "PATCH", "GET", "DELETE"]),
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
function format(message: Message, parts: ReadonlyMap<Part, string>, random: Random): string {
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
  const add = (line: string): void => void lines.splice(random.below(lines.length + 1), 0, line);
  for (let count = random.below(4); count > 0; count--) {
    add(random.pick(FIELDS));
  }
  if (body === "length") {
    add(parts.get("length") ?? `Content-Length: ${data.length}`);
  } else if (body === "chunked") {
    add(parts.get("coding") ?? "Transfer-Encoding: chunked");
  }
  const line = parts.get("line");
  if (line !== undefined) {
    add(line);
  }
  const content = body === "chunked" ? formatChunks(chunks, parts) : data;
  const head = [start, ...lines, "", ""];
  const broken = parts.has("break") ? random.below(head.length - 1) : -1;
  const text = head.map((each, index) => {
    const end = index === broken ? (parts.get("break") ?? "") : "\r\n";
    return index === head.length - 1 ? each : each + end;
  });
  return (parts.get("before") ?? "") + text.join("") + (body === "none" ? "" : content);
}

function formatChunks(chunks: readonly string[], parts: ReadonlyMap<Part, string>): string {
  const texts = chunks.map((chunk, index) => {
    const size = (index === 0 ? parts.get("size") : undefined) ?? `${sizeOf(chunk)}\r\n`;
    const end = (index === 0 ? parts.get("data end") : undefined) ?? "\r\n";
    return size + chunk + end;
  });
  return texts.join("") + (parts.get("last chunk") ?? "0\r\n\r\n");
}

const BYTES = [
  "\0",
  "\n",
  "\r",
  " ",
  "\t",
  ":",
  ",",
  ";",
  "/",
  "0",
  "1",
  "\x7f",
  "\x80",
  "\xff",
  "#",
  "\x01",
] as const;

/** Changes one place of a text. */
function changeBytes(text: string, random: Random, labels: string[]): string {
  const at = random.below(text.length);
  const place = placeAt(text, at);
  const [before, after] = [text.slice(0, at), text.slice(at + 1)];
  const change = (label: string, changed: string): string => {
    labels.push(label);
    return changed;
  };
  switch (random.below(7)) {
    case 0: {
      const flipped = text.charCodeAt(at) ^ (1 << random.below(8));
      return change(`changed bit in ${place}`, before + String.fromCharCode(flipped) + after);
    }
    case 1:
      return change(`other byte in ${place}`, before + random.pick(BYTES) + after);
    case 2:
      return change(`added byte in ${place}`, before + random.pick(BYTES) + text.slice(at));
    case 3:
      return change(`missing byte in ${place}`, before + after);
    case 4: {
      const end = at + 1 + random.below(20);
      return change(`repeated bytes from ${place}`, text.slice(0, end) + text.slice(at));
    }
    case 5: {
      const lines = text.split("\r\n");
      const index = random.below(lines.length);
      return change("repeated line", [...lines.slice(0, index + 1), ...lines.slice(index)].join("\r\n"));
    }
    default: {
      const lines = text.split("\r\n");
      return change("missing line", lines.toSpliced(random.below(lines.length), 1).join("\r\n"));
    }
  }
}

/** Returns the name of the part of a request that contains a position. */
function placeAt(text: string, at: number): string {
  if (at > text.indexOf("\r\n\r\n") + 3) {
    return "the body";
  }
  const lineStart = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(lineStart, text.indexOf("\n", at));
  const column = at - lineStart;
  if (text[at] === "\r" || text[at] === "\n") {
    return "a line break";
  }
  if (lineStart === 0) {
    const [methodEnd, targetEnd] = [line.indexOf(" "), line.lastIndexOf(" ")];
    if (column < methodEnd) {
      return "the method";
    }
    return column > targetEnd ? "the version" : "the target";
  }
  return column <= line.indexOf(":") ? "a name" : "a value";
}

/** Splits bytes at random places: usually into a few pieces, sometimes into single bytes. */
export function splitAnywhere(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const isFine = bytes.length < 400 && random.oneIn(8);
  const longest = isFine ? 2 : 1 + random.below(bytes.length);
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(start + 1 + random.below(longest), bytes.length);
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces.length <= 400 ? pieces : [bytes];
}
