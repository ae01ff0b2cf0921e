/** Which part of a request a mutation replaces. */
export type Part =
  /** The request line, without its CRLF. */
  | "start"
  /** The line with `Host`. */
  | "host"
  /** The line with `Content-Length`, of a request that has one. */
  | "length"
  /** The line with `Transfer-Encoding`, of a request in chunks. */
  | "coding"
  /** The line with the size of the first chunk, with its CRLF. */
  | "size"
  /** The CRLF after the data of the first chunk. */
  | "data end"
  /** The last chunk with the trailer section. */
  | "last chunk"
  /** Nothing: a line is added at a random place. */
  | "line"
  /** One CRLF of the head. */
  | "break"
  /** Nothing: text before the request. */
  | "before"
  /** The version of the request line: the request has also the lines that follow. */
  | "version";

/**
 * A way to change a request: one of several texts takes the place of a part. In the texts, {m} is the method, {t} the target, {n} the
 * length of the body, {+} a longer one, and {s} the size of the chunk in hexadecimal digits.
 */
export type Mutation = readonly [part: Part, label: string, first: string, ...others: string[]];
