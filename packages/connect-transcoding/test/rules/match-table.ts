import type { JsonValue } from "@bufbuild/protobuf";

/** A request line, the route that must take it, and what the route's variables capture; empty ones are not listed. */
export type Match = [request: string, route: string, captures?: JsonValue];

/** A request line, the status it must be refused with, and the methods that `Allow` must name. */
export type Refusal = [request: string, status: 400 | 404 | 405, allow?: string];

/** Routes, each a method of its own (the first line is its rule, the others its additional bindings). */
export interface Table {
  readonly routes: readonly (string | readonly [string, ...string[]])[];
  readonly matches: readonly Match[];
  readonly refusals?: readonly Refusal[];
}
