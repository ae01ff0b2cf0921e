import type {
  DescMethod,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { KeptAnswer } from "../response/kept-response.js";
import { type Call, type Policy, withPolicies } from "./handler-context.js";

/** What a handler answers with: a message, or one that it gives more than once. */
export type Answer<M extends DescMethod> =
  | MessageInitShape<M["output"]>
  | KeptAnswer<MessageInitShape<M["output"]>>;

/** Answers one message with one message. */
export type UnaryHandler<M extends DescMethod> = (
  request: MessageShape<M["input"]>,
  call: Call,
) => Answer<M> | Promise<Answer<M>>;

/** Answers a stream with one message. */
export type ClientStreamingHandler<M extends DescMethod> = (
  requests: AsyncIterable<MessageShape<M["input"]>>,
  call: Call,
) => Answer<M> | Promise<Answer<M>>;

/** Answers one message with a stream. */
export type ServerStreamingHandler<M extends DescMethod> = (
  request: MessageShape<M["input"]>,
  call: Call,
) => AsyncIterable<MessageInitShape<M["output"]>>;

/** Answers a stream with a stream. */
export type BiDiStreamingHandler<M extends DescMethod> = (
  requests: AsyncIterable<MessageShape<M["input"]>>,
  call: Call,
) => AsyncIterable<MessageInitShape<M["output"]>>;

/** The handler that a method of this kind needs. */
export type HandlerOf<M extends DescMethod> = M extends DescMethodUnary
  ? UnaryHandler<M>
  : M extends DescMethodServerStreaming
    ? ServerStreamingHandler<M>
    : M extends DescMethodClientStreaming
      ? ClientStreamingHandler<M>
      : M extends DescMethodBiDiStreaming
        ? BiDiStreamingHandler<M>
        : never;

/** A handler for every method of a service, by its name in TypeScript (`lookupIp`). */
export type Handlers<S extends DescService> = {
  readonly [K in keyof S["method"]]: HandlerOf<S["method"][K]>;
};

/** A method and what answers it, by kind. */
export type MethodImplementation =
  | {
      readonly kind: "unary";
      readonly method: DescMethodUnary;
      readonly handler: UnaryHandler<DescMethodUnary>;
    }
  | {
      readonly kind: "server_streaming";
      readonly method: DescMethodServerStreaming;
      readonly handler: ServerStreamingHandler<DescMethodServerStreaming>;
    }
  | {
      readonly kind: "client_streaming";
      readonly method: DescMethodClientStreaming;
      readonly handler: ClientStreamingHandler<DescMethodClientStreaming>;
    }
  | {
      readonly kind: "bidi_streaming";
      readonly method: DescMethodBiDiStreaming;
      readonly handler: BiDiStreamingHandler<DescMethodBiDiStreaming>;
    };

/** A service and what answers each of its methods. */
export interface ServiceImplementation {
  readonly service: DescService;
  readonly methods: readonly MethodImplementation[];
}

/**
 * Joins a service's descriptor with a handler for each of its methods; the compiler sees to it that none is
 * missing and that each takes and gives the right messages.
 */
export function implement<S extends DescService>(service: S, handlers: Handlers<S>): ServiceImplementation {
  const methods = service.methods.map((method): MethodImplementation => {
    // The mapped type above ties each handler to its method; a lookup by computed name loses that.
    const handler: unknown = handlers[method.localName as keyof S["method"]];
    return { kind: method.methodKind, method, handler } as MethodImplementation;
  });
  return { service, methods };
}

/** What answers calls; every door ends here. */
export interface MethodTable {
  /** The implementation of a method, with all policies around it; undefined where there is none. */
  of(method: DescMethod): MethodImplementation | undefined;
  /** All of them, in the order of their services. */
  readonly implementations: readonly MethodImplementation[];
}

/** Makes the table of all methods of some services; the first policy sees a call first. */
export function createMethodTable(
  services: readonly ServiceImplementation[],
  policies: readonly Policy[],
): MethodTable {
  const implementations = services.flatMap(({ methods }) =>
    methods.map((implementation) => withPolicies(implementation, policies)),
  );
  const byMethod = new Map(implementations.map((each) => [each.method as DescMethod, each]));
  return { of: (method) => byMethod.get(method), implementations };
}

/** The path of a method in gRPC, gRPC-Web and Connect: `/package.Service/Method`. */
export function methodPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}
