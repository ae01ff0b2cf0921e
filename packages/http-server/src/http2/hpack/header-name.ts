/** What a header name means to HTTP/2 itself (RFC 9113, section 8). */
export const NameKind = {
  regular: 0,
  /** `:method` and so on have a number each: they are below `host`. */
  method: 1,
  scheme: 2,
  path: 3,
  authority: 4,
  /** Any other name that begins with a colon: a request must not have it. */
  otherPseudo: 5,
  host: 6,
  contentLength: 7,
  te: 8,
  expect: 9,
  /** A header of a connection, which HTTP/2 does not allow (section 8.2.2). */
  connection: 10,
} as const;

/** A header name with its properties, which are computed once. */
export class HeaderName {
  constructor(
    readonly text: string,
    readonly kind: number,
    /** Whether the name is a token in lower case, after the colon of a pseudo-header (RFC 9113, section 8.2.1). */
    readonly isValid: boolean,
  ) {}
}

/** Which bytes a header name may have: those of a token (RFC 9110, section 5.6.2) without upper-case letters. */
export const NAME_BYTES = new Uint8Array(256);
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") NAME_BYTES[char.charCodeAt(0)] = 1;

const KINDS: Readonly<Record<string, number>> = {
  ":method": NameKind.method,
  ":scheme": NameKind.scheme,
  ":path": NameKind.path,
  ":authority": NameKind.authority,
  ":status": NameKind.otherPseudo,
  host: NameKind.host,
  "content-length": NameKind.contentLength,
  te: NameKind.te,
  expect: NameKind.expect,
  connection: NameKind.connection,
  "keep-alive": NameKind.connection,
  "proxy-connection": NameKind.connection,
  "transfer-encoding": NameKind.connection,
  upgrade: NameKind.connection,
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
for (const [text, kind] of Object.entries(KINDS)) names.set(text, new HeaderName(text, kind, true));
for (const text of FREQUENT) names.set(text, new HeaderName(text, NameKind.regular, true));

/** The header name with this text. Names with a kind of their own, and frequent ones, are the same object each time. */
export function headerName(text: string): HeaderName {
  return names.get(text) ?? checkName(text);
}

function checkName(text: string): HeaderName {
  const isPseudo = text.charCodeAt(0) === 0x3a;
  let isValid = text.length > (isPseudo ? 1 : 0);
  for (let i = isPseudo ? 1 : 0; i < text.length; i++) {
    if (NAME_BYTES[text.charCodeAt(i)] !== 1) isValid = false;
  }
  return new HeaderName(text, isPseudo ? NameKind.otherPseudo : NameKind.regular, isValid);
}
