import type { DescMethod } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  type ConnectRouterOptions,
  createMethodImplSpec,
  createServiceImplSpec,
  type MethodImplSpec,
} from "@connectrpc/connect";
import { httpOptionsOf, type MethodOptions } from "../proto-options.js";
import { type MaxRequestBytes, requestLimit } from "./rules/request-limit.js";

/** A method that routes register: its implementation, and the options given with it. */
export interface RegisteredMethod {
  readonly method: DescMethod;
  readonly spec: MethodImplSpec;
  readonly options: ConnectRouterOptions;
}

/**
 * Runs route definitions and collects the methods that they register, in their order. Options of the router apply to
 * every method; those of a registration override them.
 */
export function collectMethods(
  routes: (router: ConnectRouter) => void,
  routerOptions: ConnectRouterOptions = {},
): readonly RegisteredMethod[] {
  const methods: RegisteredMethod[] = [];
  const add = (spec: MethodImplSpec, options: ConnectRouterOptions = {}): void => {
    methods.push({ method: spec.method, spec, options: { ...routerOptions, ...options } });
  };
  const router: ConnectRouter = {
    // The engine calls implementations itself, so there are no handlers of connect-es.
    handlers: [],
    service(service, implementation, options) {
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
        add(spec, options);
      }
      return router;
    },
    rpc(method, implementation, options) {
      add(createMethodImplSpec(method, implementation), options);
      return router;
    },
  };
  routes(router);
  return methods;
}

/** The path of a method in gRPC, gRPC-Web and Connect: `/package.Service/Method`. */
export function methodPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** A registered method with its path and limits. */
export interface ServedMethod extends RegisteredMethod {
  /** `/package.Service/Method` */
  readonly path: string;
  /** The maximum length of a request in bytes. */
  readonly maxRequestBytes: number;
  /** The `Cache-Control` header of responses to GET requests; empty for none. */
  readonly cacheControl: string;
  /** Whether requests are streams of messages. */
  readonly takesStream: boolean;
  /** Whether responses are streams of messages. */
  readonly givesStream: boolean;
}

/** Prepares registered methods to be served. */
export function servedMethods(
  methods: readonly RegisteredMethod[],
  maxRequestBytes?: MaxRequestBytes,
  methodOptions?: MethodOptions,
): readonly ServedMethod[] {
  return methods.map((registered) => {
    const { method, spec, options } = registered;
    return {
      ...registered,
      path: methodPath(method),
      maxRequestBytes: requestLimit(options.readMaxBytes, maxRequestBytes)(method),
      cacheControl: httpOptionsOf(method, methodOptions).cacheControl,
      takesStream: spec.kind === "client_streaming" || spec.kind === "bidi_streaming",
      givesStream: spec.kind === "server_streaming" || spec.kind === "bidi_streaming",
    };
  });
}
