import { ConnectError } from "@connectrpc/connect";
import type { FieldViolation } from "../../src/errors/errors.js";
import { encodeError } from "../../src/protocols/rest/error.js";
import { splitTarget } from "../../src/routes/binding/request-path.js";
import type { Route, RouteTable } from "../../src/routes/route-table.js";

/** Finds the route of a request line such as `GET /v1/books?x=1`. */
export function findRoute(routes: RouteTable, line: string): Route {
  const space = line.indexOf(" ");
  const { path, query } = splitTarget(line.slice(space + 1));
  return routes.find(line.slice(0, space), path, query);
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
