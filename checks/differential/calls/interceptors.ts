import type { Message } from "@bufbuild/protobuf";
import {
  createContextKey,
  type Interceptor,
  type StreamResponse,
  type UnaryResponse,
} from "@connectrpc/connect";
import type { Specimen } from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { describeMessage } from "./messages.js";
import { describeHeaders, describeUrl, type Recorder } from "./recorder.js";
import { CALL, errorOf, type InterceptorScript, parseScript, SCRIPT } from "./script.js";

/** A context value of the request, which interceptors change. */
export const VALUE = createContextKey("none");

type Change = "change" | "replace" | undefined;
type Response = UnaryResponse | StreamResponse;

/** Two interceptors that do what the script of the request says, and record what they see. */
export function interceptorsOf(recorder: Recorder): Interceptor[] {
  return [0, 1].map((index) => createInterceptor(recorder, index));
}

function createInterceptor(recorder: Recorder, index: number): Interceptor {
  return (next) => async (request) => {
    const { events } = recorder.of(request.header.get(CALL));
    const script: InterceptorScript = parseScript(request.header.get(SCRIPT)).interceptors[index] ?? {};
    const { stream, header, url, requestMethod, method, service } = request;
    events.push({
      interceptor: index,
      stream,
      header: describeHeaders(header),
      url: describeUrl(url),
      requestMethod,
      method: method.name,
      service: service.typeName,
      value: request.contextValues.get(VALUE),
    });
    throwIf(script.before);
    if (script.requestHeader !== undefined) {
      header.append(...script.requestHeader);
    }
    if (script.setsValue === true) {
      request.contextValues.set(VALUE, `interceptor ${index}`);
    }
    const inner = {
      ...request,
      ...(script.replacesRequest === true && {
        header: new Headers([...header, ["x-replaced", String(index)]]),
      }),
      message: changedMessages(request.message, script.requestMessages, `request ${index}`, events),
    };
    // The message still has the kind of the request.
    const response = await next(inner as typeof request);
    events.push({
      interceptor: index,
      stream: response.stream,
      header: describeHeaders(response.header),
      trailer: describeHeaders(response.trailer),
    });
    throwIf(script.after);
    return changedResponse(response, script, index, events);
  };
}

function changedResponse(
  response: Response,
  script: InterceptorScript,
  index: number,
  events: unknown[],
): Response {
  if (script.responseHeader !== undefined) {
    response.header.append(...script.responseHeader);
  }
  if (script.responseTrailer !== undefined) {
    response.trailer.append(...script.responseTrailer);
  }
  const message = changedMessages(
    response.message,
    script.responseMessages,
    `response ${index}`,
    events,
    script.amid,
  );
  const copy = script.replacesResponse === true && {
    header: new Headers([...response.header, ["x-replaced", String(index)]]),
    trailer: new Headers([...response.trailer, ["x-replaced-trailer", String(index)]]),
  };
  return { ...response, ...copy, message } as Response;
}

function changedMessages(
  input: Message | AsyncIterable<Message>,
  change: Change,
  label: string,
  events: unknown[],
  amid?: InterceptorScript["amid"],
): Message | AsyncIterable<Message> {
  return Symbol.asyncIterator in input
    ? changedStream(input, change, label, events, amid)
    : changed(input, change, label, events);
}

async function* changedStream(
  input: AsyncIterable<Message>,
  change: Change,
  label: string,
  events: unknown[],
  amid: InterceptorScript["amid"],
): AsyncGenerator<Message> {
  let count = 0;
  for await (const message of input) {
    if (count++ === amid?.count) {
      throwIf(amid.error);
    }
    yield changed(message, change, label, events);
  }
}

function changed(message: Message, change: Change, label: string, events: unknown[]): Message {
  events.push({ [label]: describeMessage(message) });
  if (change === undefined) {
    return message;
  }
  const specimen = message as Specimen;
  if (change === "replace") {
    return { ...specimen, stringValue: `${label} replaced` } as Message;
  }
  specimen.stringValue += label;
  return specimen;
}

function throwIf(error: InterceptorScript["before"]): void {
  if (error !== undefined) {
    throw errorOf(error);
  }
}
