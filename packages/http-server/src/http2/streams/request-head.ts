import { requestBytes } from "../../core/weights.js";
import type { HeaderList, HeaderSection } from "../../request.js";
import { HeaderBlock } from "../hpack/header-block.js";
import type { HeaderField } from "../hpack/header-field.js";
import { NameKind } from "../hpack/header-name.js";
import { ValueForm } from "../hpack/value-form.js";

/** Up to this many names and values, comparing each name is faster than a map. */
const MAX_SCANNED = 32;

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
  /** From `:authority` or `host`; undefined if both are missing, or if several differ. */
  readonly authority: string | undefined;
  readonly contentLength: number | undefined;
  /** The bytes of memory of a request with this head. */
  readonly requestBytes: number;
  /** The value of `expect`. */
  readonly expect: string | undefined;

  constructor(block: HeaderBlock) {
    const list: string[] = [];
    super(list);
    let isMalformed = false;
    let method: HeaderField | undefined;
    let scheme: HeaderField | undefined;
    let path: HeaderField | undefined;
    let authority: string | undefined;
    let hasAuthority = false;
    let areHostsDifferent = false;
    let contentLength: number | undefined;
    let expect: string | undefined;
    const { fields } = block;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as HeaderField;
      const { name, value } = field;
      if (isFieldMalformed(field)) isMalformed = true;
      if (name.kind >= NameKind.method && name.kind <= NameKind.otherPseudo) {
        // Pseudo-headers come first (section 8.3).
        if (list.length > 0) isMalformed = true;
        switch (name.kind) {
          case NameKind.method:
            if (method !== undefined) isMalformed = true;
            method = field;
            break;
          case NameKind.scheme:
            if (scheme !== undefined) isMalformed = true;
            scheme = field;
            break;
          case NameKind.path:
            if (path !== undefined) isMalformed = true;
            path = field;
            break;
          case NameKind.authority:
            if (hasAuthority) isMalformed = true;
            hasAuthority = true;
            authority = value;
            break;
          default:
            isMalformed = true;
        }
        continue;
      }
      list.push(name.text, value);
      switch (name.kind) {
        case NameKind.regular:
          break;
        case NameKind.host:
          if (authority !== undefined && !isSameHost(authority, value)) areHostsDifferent = true;
          authority ??= value;
          break;
        case NameKind.contentLength: {
          const length = readLength(value);
          if (length === undefined || (contentLength !== undefined && contentLength !== length))
            isMalformed = true;
          contentLength = length;
          break;
        }
        case NameKind.expect:
          expect = expect === undefined ? value : `${expect}, ${value}`;
          break;
      }
    }
    this.method = method?.value ?? "";
    this.scheme = scheme?.value ?? "";
    this.path = path?.value ?? "";
    this.authority = areHostsDifferent ? undefined : authority;
    this.contentLength = contentLength;
    this.expect = expect;
    this.requestBytes = requestBytes(list.length / 2, block.size);
    this.isMalformed = isMalformed || !isTargetValid(method, scheme, path, hasAuthority);
  }
}

/** Whether a field is malformed in any section (RFC 9113, sections 8.2.1 and 8.2.2). */
function isFieldMalformed(field: HeaderField): boolean {
  const { name } = field;
  if (!name.isValid || field.form === ValueForm.invalid) return true;
  if (name.kind < NameKind.te) return false;
  if (name.kind === NameKind.te)
    return field.value !== "trailers" && field.value.toLowerCase() !== "trailers";
  return name.kind === NameKind.connection;
}

/** RFC 9113, sections 8.3.1 and 8.5. */
function isTargetValid(
  method: HeaderField | undefined,
  scheme: HeaderField | undefined,
  path: HeaderField | undefined,
  hasAuthority: boolean,
): boolean {
  if (method === undefined || !isMethod(method.value)) return false;
  if (method.value === "CONNECT") return scheme === undefined && path === undefined && hasAuthority;
  if (scheme === undefined || !isScheme(scheme.value) || path === undefined) return false;
  // A space or a control character could not be forwarded over HTTP/1.1 (section 10.3).
  if (path.form !== ValueForm.visible) return false;
  return path.value.charCodeAt(0) === 0x2f || (path.value === "*" && method.value === "OPTIONS");
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

/** The value of `content-length`; undefined if it is not a number. One beyond all limits is infinite. */
function readLength(value: string): number | undefined {
  if (!/^[0-9]+$/.test(value)) return undefined;
  const length = Number(value);
  return length <= Number.MAX_SAFE_INTEGER ? length : Number.POSITIVE_INFINITY;
}

/** The head of a request whose header section is too large. */
export const NO_HEAD: RequestHead = new RequestHead(new HeaderBlock([], 0, true));

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
  const list: string[] = [];
  for (const field of block.fields) {
    const { kind, text } = field.name;
    if (isFieldMalformed(field) || (kind >= NameKind.method && kind <= NameKind.otherPseudo))
      return undefined;
    list.push(text, field.value);
  }
  return new Section(list);
}
