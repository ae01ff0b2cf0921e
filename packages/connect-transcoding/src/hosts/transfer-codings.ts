import type { IncomingMessage } from "node:http";

/** A list of transfer codings that ends with `chunked`. */
const LIST = /^(?:[^,\s][^,]*,[\t ]*)*chunked$/i;

/**
 * Whether the server understands the transfer codings of a request (RFC 9112, section 6.1). They are `supported` if there are
 * none or only `chunked`, and `unsupported` if there are others before it. They are `invalid` over HTTP/1.0, where recipients
 * differ in whether they ignore them, and if the list has an empty element. `node:http` itself rejects other invalid lists.
 */
export function transferCodingsOf({
  headers,
  httpVersion,
}: Pick<IncomingMessage, "headers" | "httpVersion">): "supported" | "unsupported" | "invalid" {
  const codings = headers["transfer-encoding"];
  if (codings === undefined) {
    return "supported";
  }
  if (httpVersion !== "1.1" || !LIST.test(codings)) {
    return "invalid";
  }
  return codings.includes(",") ? "unsupported" : "supported";
}
