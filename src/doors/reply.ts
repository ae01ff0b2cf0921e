import type { HttpAnswer } from "../transcoding/answer.js";
import type { HeaderList, Reply } from "./exchange.js";

/** Lists of headers by their objects, which are the same for each answer of an encoder; gone when those are. */
const lists = new WeakMap<HttpAnswer["headers"], HeaderList>();

/** An answer as it goes out, just as it is. */
export function toReply({ status, headers, body }: HttpAnswer): Reply {
  return createReply(status, headerList(headers).slice(), body);
}

/** Makes a reply of headers that nobody else has, to which that of its length is added. */
export function createReply(status: number, headers: string[], body: Reply["body"]): Reply {
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  // RFC 9110, section 8.6: neither 204 nor 304 has a length of its own.
  if (status !== 204 && status !== 304) {
    headers.push("content-length", String(length));
  }
  return { status, headers, body, length };
}

/** Browsers are told to take content types at their word. */
export const NO_SNIFFING = ["x-content-type-options", "nosniff"] as const;

/** Nothing in an image or a text may run, load anything or be framed, should a browser show it as a document. */
const NO_PAGE: HeaderList = ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"];

/** Headers as a list, with those that every answer has. */
export function headerList(headers: HttpAnswer["headers"]): HeaderList {
  const known = lists.get(headers);
  if (known !== undefined) {
    return known;
  }
  const policy = headers["content-security-policy"] === undefined && isDocument(headers) ? NO_PAGE : [];
  const list = [...Object.entries(headers).flat(), ...NO_SNIFFING, ...policy];
  lists.set(headers, list);
  return list;
}

/** Whether browsers show an answer as more than its text. */
function isDocument(headers: HttpAnswer["headers"]): boolean {
  return /^(?:image|text)\//.test(headers["content-type"] ?? "");
}
