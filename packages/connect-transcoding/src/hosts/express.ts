import type { IncomingMessage, ServerResponse } from "node:http";
import { knownOptions } from "@utility-tools/http-server/portable";
import {
  createNodeHandler,
  FRAMEWORK_OPTIONS,
  type NodeHandler,
  type TranscodingAdapterOptions,
} from "./node.js";

/** A request of Express, whose body a parser may have read. */
type ExpressRequest = IncomingMessage & { readonly body?: unknown };

/** A middleware of Express and of other frameworks for `node:http`. */
export type TranscodingMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Creates a middleware that serves methods and routes, and passes other requests on. Install it before parsers of bodies: behind
 * `express.json()`, `raw()` or `text()` it serves the body that they have read.
 *
 * Throws an UnknownOptionError, and an Error if a rule contradicts its messages or another rule.
 */
export function createTranscodingMiddleware(
  given: Omit<TranscodingAdapterOptions, "fallback">,
): TranscodingMiddleware {
  const options = knownOptions("createTranscodingMiddleware", given, FRAMEWORK_OPTIONS);
  const nexts = new WeakMap<object, (error?: unknown) => void>();
  const fallback: NodeHandler = (request) => nexts.get(request)?.();
  const handle = createNodeHandler({ ...options, fallback });
  return (request, response, next) => {
    nexts.set(request, next);
    handle(request, response);
  };
}
