import type { DescMethod, Message, MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError, type ConnectRouter, type HandlerContext, type MethodImpl } from "@connectrpc/connect";
import type { SpecimenSchema } from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { defineService } from "../../../packages/connect-transcoding/test/support/define-service.js";
import { interceptorsOf, VALUE } from "./interceptors.js";
import { describeMessage, messageOf } from "./messages.js";
import { describeHeaders, describeUrl, type Recorder, type Recording } from "./recorder.js";
import { CALL, errorOf, parseScript, SCRIPT, type Step } from "./script.js";

const TYPES = { input: "Specimen", output: "Specimen" };

/** The methods of every kind without interceptors, and the same with interceptors. */
const SERVICE = defineService(
  ["", "Intercepted"].flatMap((prefix) => [
    { name: `${prefix}Ask`, ...TYPES },
    { name: `${prefix}Get`, ...TYPES, hasNoSideEffects: true },
    { name: `${prefix}Watch`, ...TYPES, serverStreaming: true },
    { name: `${prefix}Collect`, ...TYPES, clientStreaming: true },
    { name: `${prefix}Exchange`, ...TYPES, clientStreaming: true, serverStreaming: true },
  ]),
);

export const METHODS: readonly DescMethod[] = SERVICE.methods;

/** Routes whose handlers do what the script of the request says. */
export function scriptedRoutes(recorder: Recorder): (router: ConnectRouter) => void {
  const interceptors = interceptorsOf(recorder);
  return (router) => {
    for (const method of METHODS) {
      const options = method.name.startsWith("Intercepted") ? { interceptors } : {};
      router.rpc(method, handlerOf(method, recorder), options);
    }
  };
}

type Init = MessageInitShape<typeof SpecimenSchema>;

function handlerOf(method: DescMethod, recorder: Recorder): MethodImpl<DescMethod> {
  async function* run(
    input: Message | AsyncIterable<Message>,
    context: HandlerContext,
  ): AsyncGenerator<Init> {
    const recording = recorder.of(context.requestHeader.get(CALL));
    recording.running++;
    recording.events.push(describeContext(context));
    try {
      const requests = Symbol.asyncIterator in input ? input[Symbol.asyncIterator]() : undefined;
      if (requests === undefined) {
        recording.events.push({ message: describeMessage(input as Message) });
      }
      for (const step of parseScript(context.requestHeader.get(SCRIPT)).steps) {
        const message = await take(step, context, requests, recording);
        if (message !== undefined) {
          yield message;
        }
      }
    } finally {
      recording.running--;
    }
  }
  const last = async (input: Message | AsyncIterable<Message>, context: HandlerContext): Promise<Init> => {
    let result: Init = {};
    for await (const message of run(input, context)) {
      result = message;
    }
    return result;
  };
  const givesStream = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
  // The kind of the method is known only here.
  return (givesStream ? run : last) as MethodImpl<DescMethod>;
}

/** Runs a step of a script. Returns a message to send. */
async function take(
  step: Step,
  context: HandlerContext,
  requests: AsyncIterator<Message> | undefined,
  { events }: Recording,
): Promise<Init | undefined> {
  switch (step.do) {
    case "send": {
      const message = messageOf(step.message);
      return step.asInit ? { ...message } : message;
    }
    case "read":
      for (let count = 0; count < step.count && requests !== undefined; count++) {
        const result = await requests.next().catch((thrown: unknown) => {
          events.push({ failure: ConnectError.from(thrown).code });
          throw thrown;
        });
        events.push(
          result.done === true ? "end of the requests" : { message: describeMessage(result.value) },
        );
        if (result.done === true) {
          break;
        }
      }
      return undefined;
    case "stop reading":
      await requests?.return?.();
      return undefined;
    case "pause":
      await new Promise((resolve) => setImmediate(resolve));
      return undefined;
    case "add header":
      context.responseHeader.append(...step.pair);
      return undefined;
    case "add trailer":
      context.responseTrailer.append(...step.pair);
      return undefined;
    case "wait":
      await new Promise<void>((resolve) => {
        if (context.signal.aborted) {
          resolve();
        }
        context.signal.addEventListener("abort", () => resolve());
      });
      events.push({ aborted: ConnectError.from(context.signal.reason).code });
      throw context.signal.reason;
    case "throw":
      throw errorOf(step.error);
  }
}

function describeContext(context: HandlerContext): unknown {
  const { requestHeader, url, requestMethod, protocolName, method, service } = context;
  const timeout = context.timeoutMs();
  return {
    headers: describeHeaders(requestHeader),
    url: describeUrl(url),
    requestMethod,
    protocolName,
    method: method.name,
    service: service.typeName,
    timeout: timeout === undefined ? "none" : timeout > 0 && timeout < 100_000_000 ? "some" : timeout,
    isAborted: context.signal.aborted,
    value: context.values.get(VALUE),
  };
}
