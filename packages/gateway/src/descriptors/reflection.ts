import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { type CallOptions, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "connect-transcoding/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { readDescriptorFile } from "connect-transcoding/rules";

/** The time for the answer to a group of questions, in milliseconds. */
const TIMEOUT = 10_000;
/** The maximum number of files of a server. */
const MAX_FILES = 10_000;

/** The names and the files of the services of a server. */
export interface ReflectedServer {
  readonly services: readonly string[];
  readonly files: readonly FileDescriptorProto[];
}

/** A question, and an answer, of both versions of the protocol. Their generated types differ in name only. */
interface Question {
  readonly messageRequest:
    | { readonly case: "listServices" | "fileContainingSymbol" | "fileByFilename"; readonly value: string }
    | { readonly case: undefined };
}
interface Answer {
  readonly messageResponse:
    | {
        readonly case: "fileDescriptorResponse";
        readonly value: { readonly fileDescriptorProto: Uint8Array[] };
      }
    | {
        readonly case: "listServicesResponse";
        readonly value: { readonly service: { readonly name: string }[] };
      }
    | {
        readonly case: "errorResponse";
        readonly value: { readonly errorCode: number; readonly errorMessage: string };
      }
    | { readonly case: "allExtensionNumbersResponse"; readonly value: unknown }
    | { readonly case: undefined; readonly value?: undefined };
}
type Ask = (questions: AsyncIterable<Question>, options: CallOptions) => AsyncIterable<Answer>;

/**
 * Asks a server for its descriptors by gRPC server reflection: v1, or v1alpha if it has no other. Rejects with a ConnectError.
 * https://github.com/grpc/grpc/blob/v1.70.0/doc/server-reflection.md
 */
export async function reflect(transport: Transport, signal: AbortSignal): Promise<ReflectedServer> {
  try {
    const { serverReflectionInfo } = createClient(ServerReflection, transport);
    return await reflectBy(serverReflectionInfo as Ask, signal);
  } catch (thrown) {
    if (!(thrown instanceof ConnectError && thrown.code === Code.Unimplemented)) {
      throw thrown;
    }
    const { serverReflectionInfo } = createClient(ServerReflectionV1Alpha, transport);
    return await reflectBy(serverReflectionInfo as Ask, signal);
  }
}

async function reflectBy(ask: Ask, signal: AbortSignal): Promise<ReflectedServer> {
  async function answersTo(kind: NonNullable<Question["messageRequest"]["case"]>, values: readonly string[]) {
    async function* questions() {
      for (const value of values) {
        yield { messageRequest: { case: kind, value } };
      }
    }
    const answers: Answer["messageResponse"][] = [];
    for await (const { messageResponse } of ask(questions(), { signal, timeoutMs: TIMEOUT })) {
      answers.push(messageResponse);
    }
    return answers;
  }

  const [list] = await answersTo("listServices", ["*"]);
  if (list?.case !== "listServicesResponse") {
    const reason = list?.case === "errorResponse" ? `: ${list.value.errorMessage}` : "";
    throw new ConnectError(`the server does not list its services${reason}`, Code.Internal);
  }
  const services = list.value.service.map(({ name }) => name).sort();
  const files = new Map<string, FileDescriptorProto>();
  /** A server can list a service without knowing its file; the others are served. */
  function add(answers: readonly Answer["messageResponse"][]): void {
    for (const answer of answers) {
      const encoded = answer.case === "fileDescriptorResponse" ? answer.value.fileDescriptorProto : [];
      for (const file of encoded.map(readDescriptorFile)) {
        files.set(file.name, file);
      }
    }
    if (files.size > MAX_FILES) {
      throw new ConnectError(`the server has more than ${MAX_FILES} files`, Code.ResourceExhausted);
    }
  }

  add(await answersTo("fileContainingSymbol", services));
  // A server can leave out imports; which files it does not have is known after one question.
  const asked = new Set<string>();
  for (;;) {
    const missing = [...new Set([...files.values()].flatMap(({ dependency }) => dependency))].filter(
      (name) => !files.has(name) && !asked.has(name),
    );
    if (missing.length === 0) {
      return { services, files: [...files.values()] };
    }
    add(await answersTo("fileByFilename", missing));
    for (const name of missing) {
      asked.add(name);
    }
  }
}
