import type { DescMethod } from "@bufbuild/protobuf";
import { routeNotFound } from "../../errors/http-error.js";
import { type OutgoingResponse, toOutgoing } from "../../routes/encoding/representation.js";
import type { Route, RouteTable } from "../../routes/route-table.js";
import type { ServedMethod } from "../../routes/served-methods.js";
import type { CallHead } from "../format.js";
import type { ErrorWriter } from "./error.js";
import { RestFormat } from "./response.js";

/**
 * How a call by the `google.api.http` rules is read and written, or the response to an OPTIONS request. Throws a ConnectError with
 * the HTTP status 400, 404 or 405 for a path without a route.
 */
export type AcceptRest = (head: CallHead, path: string) => RestFormat | OutgoingResponse;

/** Creates the function that finds the route of a request. `prefix` begins the paths of all routes. */
export function createRestAcceptor(
  routes: RouteTable,
  methods: readonly ServedMethod[],
  prefix: string,
  errors: ErrorWriter,
): AcceptRest {
  const byMethod = new Map<DescMethod, ServedMethod>(methods.map((served) => [served.method, served]));
  const servedOf = (method: DescMethod): ServedMethod => {
    const served = byMethod.get(method);
    if (served === undefined) {
      throw new Error(`${method.name} has a route and no implementation`);
    }
    return served;
  };

  // Which method of a route is called may depend on the body.
  const limits = new Map<Route["methods"], number>();
  function limitOf(candidates: Route["methods"]): number {
    let limit = limits.get(candidates);
    if (limit === undefined) {
      limit = Math.max(...candidates.map((method) => servedOf(method).maxRequestBytes));
      limits.set(candidates, limit);
    }
    return limit;
  }

  return (head, fullPath) => {
    if (!fullPath.startsWith(prefix)) {
      throw routeNotFound();
    }
    const path = fullPath.slice(prefix.length);
    if (head.httpMethod === "OPTIONS" && (isPreflight(head) || !routes.hasRule("OPTIONS", path))) {
      const allow = routes.allowedMethods(path).join(", ");
      return toOutgoing({ status: 204, headers: { allow }, body: "" });
    }
    const route = routes.find(head.httpMethod, path, head.query);
    return new RestFormat(head, route, limitOf(route.methods), servedOf, errors);
  };
}

/** Whether a request is a CORS preflight request. https://fetch.spec.whatwg.org/#cors-preflight-request */
function isPreflight(head: CallHead): boolean {
  return head.header("origin") !== undefined && head.header("access-control-request-method") !== undefined;
}
