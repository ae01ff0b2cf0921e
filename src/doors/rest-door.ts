import type { DescMessage, DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { Call } from "../rpc/call.js";
import { internalError } from "../rpc/guard.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { MethodImplementation, ServiceImplementation } from "../rpc/service.js";
import { errorAnswer, errorText, type HttpAnswer, STREAM_TYPE } from "../transcoding/answer.js";
import type { BoundRequest } from "../transcoding/method-group.js";
import type { Transcoder } from "../transcoding/transcoder.js";
import { headerOf, type NodeRequest, type NodeResponse } from "./node-http.js";
import { representAnswer } from "./represent-answer.js";
import { readBody } from "./request-body.js";
import { writeAnswer, writeStream } from "./write-answer.js";

/** What the REST door stands on. */
export interface RestDoorOptions {
  readonly transcoder: Transcoder;
  /** Services whose handlers let only expected failures out. */
  readonly services: readonly ServiceImplementation[];
  /** The longest request body, in octets. */
  readonly maxBodyBytes: number;
  /** Is told of exceptions that are bugs. */
  readonly reportBug: (bug: unknown) => void;
}

/** Where a request goes, and how callers reach this service. */
export interface RestOrigin {
  readonly target: string;
  readonly baseUrl: string;
}

/** Answers a request whose target and base URL are known. It never throws and always answers. */
export type RestDoor = (request: NodeRequest, response: NodeResponse, origin: RestOrigin) => Promise<void>;

/** An answer as a whole, or the lines of a stream. */
type RestAnswer =
  | HttpAnswer
  | { readonly headers: Record<string, string>; readonly lines: AsyncIterable<string> };

/** Makes the door for plain JSON over HTTP: `google.api.http` routes, errors as AIP-193 has them. */
export function createRestDoor({ transcoder, services, maxBodyBytes, reportBug }: RestDoorOptions): RestDoor {
  const implementations = new Map<DescMethod, MethodImplementation>(
    services.flatMap(({ methods }) => methods.map((each) => [each.method, each] as const)),
  );

  async function answer(
    request: NodeRequest,
    response: NodeResponse,
    origin: RestOrigin,
  ): Promise<RestAnswer> {
    if (request.method === "OPTIONS") {
      const allow = transcoder.allowedMethods(origin.target).join(", ");
      return { status: 204, headers: { allow }, body: "" };
    }
    const route = transcoder.find(request.method ?? "", origin.target);
    try {
      const bound = route.bind({
        body: await readBody(request, maxBodyBytes),
        contentType: headerOf(request, "content-type"),
        contentEncoding: headerOf(request, "content-encoding"),
      });
      const call = createCall(bound.method, request, response, origin.baseUrl);
      return await invoke(bound, call, route.headers, request.method === "HEAD");
    } catch (thrown) {
      return errorAnswer(toRpcError(thrown), route.headers);
    }
  }

  async function invoke(
    bound: BoundRequest,
    call: Call,
    headers: Readonly<Record<string, string>>,
    isHead: boolean,
  ): Promise<RestAnswer> {
    const implementation = implementations.get(bound.method);
    const { method, message, encode } = bound;
    const spell = (thrown: unknown) => (thrown instanceof RpcError ? bound.spell(thrown) : thrown);
    switch (implementation?.kind) {
      case "unary":
        try {
          return encode(await implementation.handler(message, call));
        } catch (thrown) {
          throw spell(thrown);
        }
      case "server_streaming": {
        const streamHeaders = { ...headers, "content-type": STREAM_TYPE };
        if (isHead) {
          return { headers: streamHeaders, lines: nothing() };
        }
        const messages = implementation.handler(message, call)[Symbol.asyncIterator]();
        // What fails before the first message is still an ordinary error, with a status of its own.
        const first = await messages.next().catch((thrown: unknown) => {
          throw spell(thrown);
        });
        const lineOf = (each: MessageInitShape<DescMessage>) => `${String(encode(each).body)}\n`;
        const errorLineOf = (thrown: unknown) => `${errorText(toRpcError(spell(thrown)))}\n`;
        return { headers: streamHeaders, lines: streamLines(first, messages, lineOf, errorLineOf) };
      }
      default:
        throw new Error(`${method.name} has a route and no handler for it`);
    }
  }

  function toRpcError(thrown: unknown): RpcError {
    if (thrown instanceof RpcError) {
      return thrown;
    }
    reportBug(thrown);
    return internalError();
  }

  return async (request, response, origin) => {
    let result: RestAnswer;
    try {
      result = await answer(request, response, origin);
    } catch (thrown) {
      result = errorAnswer(toRpcError(thrown));
    }
    if ("lines" in result) {
      await writeStream(response, result.headers, result.lines);
    } else {
      writeAnswer(request, response, await representAnswer(result, preferencesOf(request)));
    }
  };
}

function preferencesOf(request: NodeRequest) {
  return {
    acceptEncoding: headerOf(request, "accept-encoding"),
    ifNoneMatch: headerOf(request, "if-none-match"),
  };
}

async function* nothing(): AsyncIterable<never> {}

/** The lines of a stream whose first message is there: one for each message, and at the end the error, if it fails. */
async function* streamLines<T>(
  first: IteratorResult<T>,
  messages: AsyncIterator<T>,
  lineOf: (message: T) => string,
  errorLineOf: (thrown: unknown) => string,
): AsyncIterable<string> {
  try {
    for (let next = first; !next.done; next = await messages.next()) {
      yield lineOf(next.value);
    }
  } catch (thrown) {
    yield errorLineOf(thrown);
  } finally {
    await messages.return?.();
  }
}

function createCall(method: DescMethod, request: NodeRequest, response: NodeResponse, baseUrl: string): Call {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return { method, baseUrl, signal: controller.signal, header: (name) => headerOf(request, name) };
}
