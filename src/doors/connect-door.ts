import {
  create,
  type DescMethod,
  type DescMethodBiDiStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type Registry,
} from "@bufbuild/protobuf";
import {
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalHandlerOptions } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { Call } from "../rpc/call.js";
import { errorDetails, RpcError } from "../rpc/rpc-error.js";
import type { MethodImplementation, ServiceImplementation } from "../rpc/service.js";
import { createJsonMessageCheck } from "../transcoding/json-message.js";
import type { NodeRequest, NodeResponse } from "./node-http.js";

/** What the door for gRPC, gRPC-Web and Connect stands on. */
export interface ConnectDoorOptions {
  /** Services whose handlers let only expected failures out. */
  readonly services: readonly ServiceImplementation[];
  /** The longest request message, in octets. */
  readonly maxMessageBytes: number;
  /** What to do with fields of a JSON request that the message does not have. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}

/** gRPC, gRPC-Web and Connect over HTTP/1.1 and HTTP/2. */
export interface ConnectDoor {
  /** Whether a path is one of a method: `/package.Service/Method`. */
  serves(path: string): boolean;
  /** Answers a request for such a path. */
  handle(request: NodeRequest, response: NodeResponse, path: string, baseUrl: string): void;
}

const BASE_URL = createContextKey("", { description: "base URL" });

/** Makes the door; connect-node speaks the protocols. */
export function createConnectDoor(options: ConnectDoorOptions): ConnectDoor {
  const router = createConnectRouter({
    readMaxBytes: options.maxMessageBytes,
    acceptCompression: [compressionGzip, compressionBrotli],
  });
  for (const implementation of options.services.flatMap(({ methods }) => methods)) {
    register(router, implementation, { jsonOptions: jsonOptionsFor(implementation.method, options) });
  }
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  function handle(request: NodeRequest, response: NodeResponse, path: string, baseUrl: string): void {
    const handler = handlers.get(path);
    if (handler !== undefined) {
      serve(handler, request, response, baseUrl);
    }
  }

  return { serves: (path) => handlers.has(path), handle };
}

function serve(
  handler: UniversalHandler,
  request: NodeRequest,
  response: NodeResponse,
  baseUrl: string,
): void {
  const values = createContextValues().set(BASE_URL, baseUrl);
  handler(universalRequestFromNodeRequest(request, response, undefined, values))
    // Not awaited: over HTTP/1.1 this promise stays pending after the response has ended.
    .then((universal) => universalResponseToNodeResponse(universal, response))
    .catch(() => {
      // Handlers are guarded and answer for themselves, so what is left is a connection that broke.
      response.destroy();
    });
}

/**
 * How a method's messages are read and written as JSON. Before protobuf-es reads a request, which stops at the first thing
 * that is wrong and quotes it, the request is checked as it is over REST: the decoder is the one place where connect lets
 * others see the octets.
 */
function jsonOptionsFor(method: DescMethod, { registry, unknownParameters }: ConnectDoorOptions) {
  const check = createJsonMessageCheck(method.input, { registry, unknownParameters });
  const textDecoder = {
    decode(octets: Uint8Array = new Uint8Array()): string {
      try {
        check(octets);
      } catch (thrown) {
        throw toConnectError(thrown);
      }
      return new TextDecoder().decode(octets);
    },
  };
  return {
    alwaysEmitImplicit: true,
    ignoreUnknownFields: unknownParameters === "ignore",
    registry,
    textDecoder,
  };
}

function register(
  router: ConnectRouter,
  implementation: MethodImplementation,
  options: Partial<UniversalHandlerOptions>,
): void {
  switch (implementation.kind) {
    case "unary": {
      const { method, handler } = implementation;
      const impl: MethodImpl<DescMethodUnary> = async (request, context) => {
        try {
          return create(method.output, await handler(request, toCall(context)));
        } catch (thrown) {
          throw toConnectError(thrown);
        }
      };
      router.rpc(method, impl, options);
      return;
    }
    case "server_streaming": {
      const { method, handler } = implementation;
      const impl: MethodImpl<DescMethodServerStreaming> = (request, context) =>
        translateErrors(handler(request, toCall(context)));
      router.rpc(method, impl, options);
      return;
    }
    case "bidi_streaming": {
      const { method, handler } = implementation;
      const impl: MethodImpl<DescMethodBiDiStreaming> = (requests, context) =>
        translateErrors(handler(requests, toCall(context)));
      router.rpc(method, impl, options);
      return;
    }
  }
}

async function* translateErrors<T>(stream: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* stream;
  } catch (thrown) {
    throw toConnectError(thrown);
  }
}

function toCall({ method, values, signal, requestHeader }: HandlerContext): Call {
  return {
    method,
    baseUrl: values.get(BASE_URL),
    signal,
    header: (name) => requestHeader.get(name) ?? undefined,
  };
}

function toConnectError(thrown: unknown): unknown {
  return thrown instanceof RpcError
    ? new ConnectError(thrown.message, thrown.code, undefined, errorDetails(thrown), thrown)
    : thrown;
}
