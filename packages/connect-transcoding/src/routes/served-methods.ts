import {
  createRegistry,
  type DescFile,
  type DescMethod,
  type DescService,
  type Registry,
} from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type MethodImpl,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";
import { WELL_KNOWN_FILES } from "../errors/detail-types.js";
import { httpOptionsOf, type MethodOptions } from "../proto-options.js";
import { type RouteOptions, readRouteOptions } from "./route-options.js";
import { type MaxRequestBytes, requestLimit } from "./rules/request-limit.js";

/** A method that routes register: its implementation, and the options given with it. */
export interface RegisteredMethod {
  readonly method: DescMethod;
  readonly spec: MethodImplSpec;
  readonly options: RouteOptions;
}

/** connect's router. Services and methods take all options, whatever the version of connect. */
export interface TranscodingRouter extends ConnectRouter {
  service: <T extends DescService>(
    service: T,
    implementation: Partial<ServiceImpl<T>>,
    options?: RouteOptions,
  ) => this;
  rpc: <M extends DescMethod>(method: M, implementation: MethodImpl<M>, options?: RouteOptions) => this;
}

/**
 * Runs route definitions and collects the methods that they register, in their order. Options of the router apply to
 * every method; those of a registration override them. Throws an UnknownOptionError.
 */
export function collectMethods(
  routes: (router: TranscodingRouter) => void,
  routerOptions: RouteOptions = {},
): readonly RegisteredMethod[] {
  const shared = readRouteOptions("the router", routerOptions);
  const methods: RegisteredMethod[] = [];
  const router: TranscodingRouter = {
    // The engine calls implementations itself, so there are no handlers of connect-es.
    handlers: [],
    service(service, implementation, given = {}) {
      const options = { ...shared, ...readRouteOptions(service.typeName, given) };
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
        methods.push({ method: spec.method, spec, options });
      }
      return router;
    },
    rpc(method, implementation, given = {}) {
      const options = { ...shared, ...readRouteOptions(methodPath(method), given) };
      methods.push({ method, spec: createMethodImplSpec(method, implementation), options });
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

/** The files and their direct and indirect imports; a file comes after its imports. */
export function withDependencies(files: readonly DescFile[]): DescFile[] {
  const seen = new Set<DescFile>();
  const visit = (file: DescFile): void => {
    if (!seen.has(file)) {
      file.dependencies.forEach(visit);
      seen.add(file);
    }
  };
  files.forEach(visit);
  return [...seen];
}

/** The types and extensions of some files, of their imports, and of the files of well-known types. */
export function registryOfFiles(files: readonly DescFile[]): Registry {
  // What comes last replaces types with the same name.
  return createRegistry(...withDependencies([...WELL_KNOWN_FILES, ...files]));
}
