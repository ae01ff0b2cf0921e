import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Code, ConnectError, createContextValues, createHandlerContext } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { baseUrlKey, clientAddressKey, collectMethods } from "connect-transcoding";
// The package does not export this: only its encoders use it.
import { encodeCached } from "../../packages/connect-transcoding/src/routes/encoding/cached-encodings.js";
import type { Tool } from "../../src/tools/tool.js";

/** The client of a call. */
export interface CallOptions {
  readonly baseUrl?: string;
  readonly clientAddress?: string;
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal;
}

/** Calls a unary method of a tool without a server, and returns what the handler returned. */
export async function callHandler<I extends DescMessage, O extends DescMessage>(
  { routes }: Pick<Tool, "routes">,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  { baseUrl = "https://tools.example", clientAddress = "192.0.2.1", signal }: CallOptions = {},
): Promise<MessageInitShape<O>> {
  const spec = collectMethods(routes).find((each) => each.method === method)?.spec;
  if (spec?.kind !== "unary") {
    throw new Error(`${method.name} is not implemented as a unary method`);
  }
  const context = createHandlerContext({
    service: method.parent,
    method,
    protocolName: "connect",
    requestMethod: "POST",
    url: `https://tools.example/${method.parent.typeName}/${method.name}`,
    ...(signal && { requestSignal: signal }),
    contextValues: createContextValues().set(baseUrlKey, baseUrl).set(clientAddressKey, clientAddress),
  });
  // The implementation is that of `method`, so it returns messages of its output.
  return (await spec.impl(create<DescMessage>(method.input, request), context)) as MessageInitShape<O>;
}

/** Calls a unary method of a tool without a server, and returns the response. */
export async function callUnary<I extends DescMessage, O extends DescMessage>(
  tool: Pick<Tool, "routes">,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  options?: CallOptions,
): Promise<MessageShape<O>> {
  return create(method.output, await callHandler(tool, method, request, options));
}

/** An error of a handler, with its details decoded. */
export interface CallError {
  readonly code: Code;
  readonly reason: string | undefined;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly {
    readonly field: string;
    readonly reason: string;
    readonly description: string;
  }[];
}

/** Waits for a call to fail with a ConnectError, and returns its content. */
export async function errorOf(call: Promise<unknown>): Promise<CallError> {
  const error = await call.then(
    () => new Error("the call did not fail"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConnectError)) {
    throw error;
  }
  return contentOf(error);
}

/** Returns the content of a ConnectError that has not been sent yet. */
export function contentOf(error: ConnectError): CallError {
  const [info] = detailsOf(error, ErrorInfoSchema);
  const [badRequest] = detailsOf(error, BadRequestSchema);
  return {
    code: error.code,
    reason: info?.reason,
    message: error.rawMessage,
    metadata: info?.metadata ?? {},
    violations: (badRequest?.fieldViolations ?? []).map(({ field, reason, description }) => ({
      field,
      reason,
      description,
    })),
  };
}

function detailsOf<D extends DescMessage>({ details }: ConnectError, schema: D): MessageShape<D>[] {
  return details.flatMap((detail) => {
    if (!("desc" in detail) || detail.desc.typeName !== schema.typeName) {
      return [];
    }
    // The descriptor of the detail may be another copy of the schema.
    const bytes = toBinary(detail.desc, create<DescMessage>(detail.desc, detail.value));
    return [fromBinary(schema, bytes)];
  });
}

/** Whether a message is marked with `cacheEncodings`. */
export function hasCachedEncodings(message: object): boolean {
  const once = (): { readonly isCached: boolean } => ({ isCached: false });
  return encodeCached(message, hasCachedEncodings, once, () => ({ isCached: true })).isCached;
}
