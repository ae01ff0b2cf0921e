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
  readonly options: Partial<ConnectRouterOptions>;
}

/**
 * Runs route definitions and collects the methods that they register, in their order. Options of the router apply to
 * every method, and those of a registration override them.
 */
export function collectMethods(
  routes: (router: ConnectRouter) => void,
  routerOptions: ConnectRouterOptions = {},
): readonly RegisteredMethod[] {
  const methods: RegisteredMethod[] = [];
  const add = (spec: MethodImplSpec, options: Partial<ConnectRouterOptions> = {}): void => {
    methods.push({ method: spec.method, spec, options: { ...routerOptions, ...options } });
  };
  const router: ConnectRouter = {
    get handlers() {
      const real = createConnectRouter(routerOptions);
      for (const { spec, options } of methods) {
        // The spec ties the implementation to its method; a union of all kinds loses that.
        real.rpc(spec.method, spec.impl as never, options);
      }
      return real.handlers;
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
