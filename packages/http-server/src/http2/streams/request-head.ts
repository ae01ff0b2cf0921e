import { FIELD_OVERHEAD, readContentLength } from "../../core/rules.js";
import { requestBytes } from "../../core/weights.js";
import type { HeaderList, HeaderSection } from "../../request.js";
import { HeaderBlock } from "../hpack/header-block.js";
import type { HeaderField } from "../hpack/header-field.js";
import { isPseudo, NameKind } from "../hpack/header-name.js";
import { ValueForm } from "../hpack/value-form.js";

/**
 * Up to this many names and values, comparing each name takes no longer than a map does. A cached section has no more, so that
 * it never keeps a map.
 */
const MAX_SCANNED = 64;

/** A header section. Immutable, as requests with the same block share it. */
class Section implements HeaderSection {
  readonly list: HeaderList;
  #values: Map<string, string> | undefined;

  constructor(list: HeaderList) {
    this.list = list;
  }

  get(name: string): string | undefined {
    const { list } = this;
    if (list.length > MAX_SCANNED) {
      this.#values ??= joinValues(list);
      return this.#values.get(name);
    }
    let value: string | undefined;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name) value = joinValue(name, value, list[i + 1] as string);
    }
    return value;
  }
}

/** The names and values of the fields from `first` on, in an array of exactly this length. */
function listOf(fields: readonly HeaderField[], first: number): HeaderList {
  const list = new Array<string>(2 * (fields.length - first));
  for (let i = first, at = 0; i < fields.length; i++) {
    const { name, value } = fields[i] as HeaderField;
    list[at++] = name;
    list[at++] = value;
  }
  return list;
}

function joinValues(list: HeaderList): Map<string, string> {
  const values = new Map<string, string>();
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i] as string;
    values.set(name, joinValue(name, values.get(name), list[i + 1] as string));
  }
  return values;
}

/** RFC 9110, section 5.3; RFC 9113, section 8.2.3. */
function joinValue(name: string, first: string | undefined, next: string): string {
  if (first === undefined) return next;
  return `${first}${name === "cookie" ? "; " : ", "}${next}`;
}

/** The header section of a request, and the fields that HTTP/2 itself uses. Use `readRequestHead`. */
export class RequestHead extends Section {
  /** Whether the request is malformed (RFC 9113, sections 8.1.1, 8.2 and 8.3). If so, do not use the other properties. */
  readonly isMalformed: boolean;
  readonly method: string;
  /** Empty for CONNECT. */
  readonly scheme: string;
  /** The path and query, or `*`. Empty for CONNECT. */
  readonly path: string;
  /** From `:authority` or `host`; undefined if both are missing, or if they differ. */
  readonly authority: string | undefined;
  readonly contentLength: number | undefined;
  /** The bytes of memory of a request with this head. */
  readonly requestBytes: number;
  /** The value of `expect`. */
  readonly expect: string | undefined;

  constructor(block: HeaderBlock) {
    const { fields, pseudoCount } = block;
    // The pseudo-headers come first (RFC 9113, section 8.3), or the request is malformed.
    super(listOf(fields, pseudoCount));
    let isMalformed = false;
    let method: string | undefined;
    let scheme: string | undefined;
    let path: string | undefined;
    let pathForm = 0;
    let authority: string | undefined;
    let host: string | undefined;
    let contentLength: number | undefined;
    let expect: string | undefined;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as HeaderField;
      const { kind, value } = field;
      if (isFieldMalformed(field) || isPseudo(kind) !== i < pseudoCount) isMalformed = true;
      switch (kind) {
        case NameKind.method:
          if (method !== undefined) isMalformed = true;
          method = value;
          break;
        case NameKind.scheme:
          if (scheme !== undefined) isMalformed = true;
          scheme = value;
          break;
        case NameKind.path:
          if (path !== undefined) isMalformed = true;
          path = value;
          pathForm = field.form;
          break;
        case NameKind.authority:
          if (authority !== undefined) isMalformed = true;
          authority = value;
          break;
        case NameKind.host:
          if (host !== undefined) isMalformed = true;
          host = value;
          break;
        case NameKind.contentLength:
          if (contentLength !== undefined) isMalformed = true;
          contentLength = readContentLength(value);
          if (contentLength === undefined) isMalformed = true;
          break;
        case NameKind.expect:
          expect = expect === undefined ? value : `${expect}, ${value}`;
          break;
      }
    }
    this.method = method ?? "";
    this.scheme = scheme ?? "";
    this.path = path ?? "";
    const isAmbiguous = authority !== undefined && host !== undefined && !isSameHost(authority, host);
    this.authority = isAmbiguous ? undefined : (authority ?? host);
    this.contentLength = contentLength;
    this.expect = expect;
    this.requestBytes = requestBytes(fields.length, block.size - FIELD_OVERHEAD * fields.length);
    // A path with other characters could not be forwarded over HTTP/1.1 (section 10.3).
    if (pathForm !== ValueForm.target) isMalformed = true;
    this.isMalformed = isMalformed || !isTargetValid(method, scheme, path, authority !== undefined);
  }
}

/** Whether a field is malformed in any section (RFC 9113, sections 8.2.1 and 8.2.2). */
function isFieldMalformed({ kind, form, value }: HeaderField): boolean {
  if (kind === NameKind.forbidden || form === ValueForm.invalid) return true;
  return kind === NameKind.te && value !== "trailers" && value.toLowerCase() !== "trailers";
}

/** RFC 9113, sections 8.3.1 and 8.5. */
function isTargetValid(
  method: string | undefined,
  scheme: string | undefined,
  path: string | undefined,
  hasAuthority: boolean,
): boolean {
  if (method === undefined || !isMethod(method)) return false;
  if (method === "CONNECT") return scheme === undefined && path === undefined && hasAuthority;
  if (scheme === undefined || !isScheme(scheme) || path === undefined) return false;
  return path.charCodeAt(0) === 0x2f || (path === "*" && method === "OPTIONS");
}

/** RFC 9110, section 9.1. */
function isMethod(text: string): boolean {
  return text === "GET" || text === "POST" || /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/** RFC 3986, section 3.1. */
function isScheme(text: string): boolean {
  return text === "https" || text === "http" || /^[A-Za-z][A-Za-z0-9+\-.]*$/.test(text);
}

/** Host names are case-insensitive (RFC 3986, section 3.2.2). */
function isSameHost(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase();
}

/** The head of a request whose header section is too large. */
export const NO_HEAD: RequestHead = new RequestHead(new HeaderBlock());

/** The head of the request with this block. */
export function readRequestHead(block: HeaderBlock): RequestHead {
  const { memo } = block;
  if (memo instanceof RequestHead) return memo;
  const head = new RequestHead(block);
  block.memo = head;
  return head;
}

/** The trailer section with this block; undefined if it is malformed: it must not have a pseudo-header (RFC 9113, section 8.1). */
export function readTrailers(block: HeaderBlock): HeaderSection | undefined {
  const { fields } = block;
  if (fields.some((field) => isPseudo(field.kind) || isFieldMalformed(field))) return undefined;
  return new Section(listOf(fields, 0));
}
