import { STATIC_TABLE } from "./static-table.js";

/** What a header name means to HTTP/2 itself (RFC 9113, section 8). */
export const NameKind = {
  regular: 0,
  /** `:method` and so on have a number each: they are below `forbidden`. */
  method: 1,
  scheme: 2,
  path: 3,
  authority: 4,
  /**
   * A name that no request may have: another one that begins with a colon (section 8.3), a header of a connection (section
   * 8.2.2), or one that is not a token in lower case (section 8.2.1).
   */
  forbidden: 5,
  host: 6,
  contentLength: 7,
  te: 8,
  expect: 9,
} as const;

/** Whether this is the kind of a pseudo-header that requests have. */
export function isPseudo(kind: number): boolean {
  return kind >= NameKind.method && kind <= NameKind.authority;
}

export interface HeaderName {
  readonly text: string;
  /** A `NameKind`. */
  readonly kind: number;
}

/** Which bytes a header name may have: those of a token (RFC 9110, section 5.6.2) without upper-case letters. */
export const NAME_BYTES = new Uint8Array(256);
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") NAME_BYTES[char.charCodeAt(0)] = 1;

const KINDS: Readonly<Record<string, number>> = {
  ":method": NameKind.method,
  ":scheme": NameKind.scheme,
  ":path": NameKind.path,
  ":authority": NameKind.authority,
  host: NameKind.host,
  "content-length": NameKind.contentLength,
  te: NameKind.te,
  expect: NameKind.expect,
  connection: NameKind.forbidden,
  "keep-alive": NameKind.forbidden,
  "proxy-connection": NameKind.forbidden,
  "transfer-encoding": NameKind.forbidden,
  upgrade: NameKind.forbidden,
};

/** Frequent names that the static table does not have. */
const FREQUENT = [
  "connect-protocol-version",
  "connect-timeout-ms",
  "grpc-accept-encoding",
  "grpc-encoding",
  "grpc-timeout",
  "origin",
  "traceparent",
  "tracestate",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-request-id",
  "x-user-agent",
];

const names = new Map<string, HeaderName>();
for (const [text, kind] of Object.entries(KINDS)) names.set(text, { text, kind });
for (const text of [...STATIC_TABLE.map(({ name }) => name), ...FREQUENT]) names.set(text, headerName(text));

/** The header name with this text. The texts of known names take memory once, however many connections keep them. */
export function headerName(text: string): HeaderName {
  return names.get(text) ?? { text, kind: isToken(text) ? NameKind.regular : NameKind.forbidden };
}

function isToken(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (NAME_BYTES[text.charCodeAt(i)] !== 1) return false;
  }
  return text.length > 0;
}
