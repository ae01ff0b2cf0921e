import type { HeaderList } from "../request.js";

/** The statuses of rejected requests, by the reasons for them, which are stable names for programs. */
const STATUSES = {
  MALFORMED_REQUEST: 400,
  INVALID_HOST: 400,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  TARGET_TOO_LONG: 414,
  UNSUPPORTED_EXPECTATION: 417,
  MISDIRECTED_REQUEST: 421,
  HEADERS_TOO_LARGE: 431,
  UNSUPPORTED_HTTP_METHOD: 501,
  UNSUPPORTED_TRANSFER_CODING: 501,
  UNSUPPORTED_HTTP_VERSION: 505,
} as const;

export type RejectionReason = keyof typeof STATUSES;

/** Why a request is rejected before it reaches the handler, or before its body is complete. */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly status: (typeof STATUSES)[RejectionReason];
  /** What is wrong and what is allowed, for the client: in lower case, without a final dot. */
  readonly message: string;
}

/** Formats the response to a rejected request. `headers` must describe the body. */
export type FormatRejection = (rejection: Rejection) => {
  readonly headers: HeaderList;
  readonly body: string;
};

/** Responds with the message as plain text. */
export const plainRejection: FormatRejection = ({ message }) => ({
  headers: ["content-type", "text/plain; charset=utf-8"],
  body: `${message}\n`,
});

export function rejection(reason: RejectionReason, message: string): Rejection {
  return { reason, status: STATUSES[reason], message };
}

/** 400: the request is malformed, or recipients could read it differently. */
export function badRequest(message: string): Rejection {
  return rejection("MALFORMED_REQUEST", message);
}
