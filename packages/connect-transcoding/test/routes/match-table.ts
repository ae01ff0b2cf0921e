import type { JsonValue } from "@bufbuild/protobuf";

/** A request line, the expected route, and the expected variables that are not empty. */
export type Match = [request: string, route: string, captures?: JsonValue];

/** A request line, the expected error status, and the expected methods in `Allow`. */
export type Rejection = [request: string, status: 400 | 404 | 405, allow?: string];

/** One method per route: the first line is its rule, the others are additional bindings. */
export interface Table {
  readonly routes: readonly (string | readonly [string, ...string[]])[];
  readonly matches: readonly Match[];
  readonly rejections?: readonly Rejection[];
}
