import type { ConnectRouterOptions } from "@connectrpc/connect";
import {
  httpOptionsOf,
  type MaxRequestBytes,
  type MethodOptions,
  requestLimit,
} from "../rules/method-options.js";
import { methodPath, type RegisteredMethod } from "./routes.js";

/** A registered method with its path and limits. */
export interface ServedMethod extends RegisteredMethod {
  /** `/package.Service/Method` */
  readonly path: string;
  /** The maximum length of a request in bytes. */
  readonly maxRequestBytes: number;
  /** The `Cache-Control` header of responses to GET requests; empty for none. */
  readonly cacheControl: string;
  /** Whether an option is set that only connect-node implements. */
  readonly needsConnectNode: boolean;
}

const CONNECT_NODE_OPTIONS = [
  "binaryOptions",
  "jsonOptions",
  "maxTimeoutMs",
  "requireConnectProtocolHeader",
  "writeMaxBytes",
] as const satisfies readonly (keyof ConnectRouterOptions)[];

/** Prepares registered methods to be served. */
export function servedMethods(
  methods: readonly RegisteredMethod[],
  maxRequestBytes?: MaxRequestBytes,
  methodOptions?: MethodOptions,
): readonly ServedMethod[] {
  return methods.map((registered) => ({
    ...registered,
    path: methodPath(registered.method),
    maxRequestBytes: requestLimit(registered.options.readMaxBytes, maxRequestBytes)(registered.method),
    cacheControl: httpOptionsOf(registered.method, methodOptions).cacheControl,
    needsConnectNode: CONNECT_NODE_OPTIONS.some((option) => registered.options[option] !== undefined),
  }));
}
