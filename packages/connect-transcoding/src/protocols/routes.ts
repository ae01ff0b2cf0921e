import type { DescMethod } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type MethodImplSpec,
} from "@connectrpc/connect";

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
    get handlers() {
      return createHandlers(methods);
    },
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

/** Creates connect-es's own handlers of methods. */
export function createHandlers(methods: readonly RegisteredMethod[]): ConnectRouter["handlers"] {
  return methods.flatMap(({ spec, options }) => {
    // A router per method: a registration cannot disable a protocol of its router.
    const router = createConnectRouter(options);
    // The spec ties the implementation to its method, which the union of all kinds loses.
    return router.rpc(spec.method, spec.impl as never).handlers;
  });
}

/** The path of a method in gRPC, gRPC-Web and Connect: `/package.Service/Method`. */
export function methodPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}
