import { ConnectError } from "@connectrpc/connect";
import type { FieldViolation } from "../../src/errors/errors.js";
import { splitTarget } from "../../src/request/request-path.js";
import { encodeError } from "../../src/response/response-encoder.js";
import type { Route, RouteTable } from "../../src/rules/route-table.js";

/** Splits the request line `GET /v1/books?x=1` into HTTP method and target. */
function splitLine(line: string): [httpMethod: string, target: string] {
  const space = line.indexOf(" ");
  return [line.slice(0, space), line.slice(space + 1)];
}

/** Finds the route of a request line. */
export function findRoute(routes: RouteTable, line: string): Route {
  const [httpMethod, target] = splitLine(line);
  const { path, query } = splitTarget(target);
  return routes.find(httpMethod, path, query);
}

/** An error as a REST client receives it. */
export interface Failure {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly violations: readonly FieldViolation[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the error that a function throws. Throws unexpected exceptions on, and if there is no error. */
export function failureOf(run: () => unknown): Failure {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ConnectError) {
      return toFailure(thrown);
    }
    throw thrown;
  }
  throw new Error("there is no error");
}

/** Converts an error to what a REST client receives. */
function toFailure(error: ConnectError): Failure {
  const { status, headers, body } = encodeError(error);
  const { message, details } = JSON.parse(String(body)).error;
  return {
    status,
    headers,
    message,
    reason: detailOf(details, "ErrorInfo")?.reason,
    // ProtoJSON omits an empty name.
    violations: (detailOf(details, "BadRequest")?.fieldViolations ?? []).map((each: FieldViolation) => ({
      ...each,
      field: each.field ?? "",
    })),
  };
}

function detailOf(details: readonly Record<string, string>[], name: string) {
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  return details.find((each) => each["@type"]?.endsWith(`google.rpc.${name}`)) as any;
}
