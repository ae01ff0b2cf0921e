import type { Registry } from "@bufbuild/protobuf";
import type { MessageInit } from "connect-transcoding/codec";
import type { Environment } from "../config/read-config.js";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import type { MethodCaller, openLocalService, RemoteFlags } from "./calls/calls.js";
import type { BuildRequest } from "./commands.js";
import { errorJson, errorLine, type FailedCall, namedSubject } from "./failures.js";
import type { InputBatch } from "./input/items.js";
import type { InputStream } from "./input/streams.js";
import type { SecondThread, startSecondThread } from "./lists/second-thread.js";
import type { Sharing } from "./lists/sharing.js";
import type { ResponseFormats } from "./output/formats.js";
import type { Rendered, ResultOptions } from "./output/results.js";
import type { OutputStream } from "./output/sinks.js";

/** The process that a command runs in. */
export interface ProcessContext {
  /** All message types, for the content of `google.protobuf.Any`. */
  readonly registry: Registry;
  readonly env: Environment;
  readonly input: InputStream;
  readonly out: OutputStream;
  readonly err: OutputStream;
  /** Asks the user for a secret. */
  readonly ask: (prompt: string) => Promise<string>;
  /** Loads a service into this process. */
  readonly openLocal: typeof openLocalService;
  /** Starts another thread for long lists; undefined: there is none. */
  readonly startThread?: (...args: Parameters<typeof startSecondThread>) => Promise<SecondThread>;
  /** Set in such a thread: renders the batches that it receives, instead of those of the input. */
  readonly serveBatches?: (render: (batch: InputBatch) => Promise<Rendered>) => Promise<never>;
}

/** The flags of tool commands, besides those of their methods. */
export interface CommonFlags extends RemoteFlags {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly column?: string;
  readonly fields?: string;
  readonly file?: string;
  readonly secretFile?: string;
  readonly code?: string;
  readonly output?: string;
  readonly all?: boolean;
  readonly summary?: boolean;
  readonly find?: boolean;
  readonly pick?: string;
  readonly onlyResults?: boolean;
  readonly allErrors?: boolean;
  /** False with `--no-progress`. */
  readonly progress: boolean;
}

/** A command with its arguments, ready to run. */
export interface CommandRun extends ResultOptions {
  readonly context: ProcessContext;
  readonly flags: CommonFlags;
  /** Standard input, or the file in its place. */
  readonly input: InputStream;
  readonly out: OutputStream;
  readonly call: MethodCaller;
  readonly build: BuildRequest;
  readonly isRemote: boolean;
  /** The work on a list, if a second thread can share it. */
  readonly shared: Sharing | undefined;
  /** Whether no flag sets a field of the request. */
  readonly hasDefaults: boolean;
  /** Ends the command with an error about its arguments. */
  readonly rejectArguments: (problem: string) => never;
}

/** Whether a response is a list without elements. */
export function isEmptyList({ element, json }: ResponseFormats, message: MessageInit): boolean {
  return element !== undefined && json(message) === "[]";
}

/** What is said if no input finds anything. JSON shows that itself. */
export function nothingFound({ command, format, errStyle }: CommandRun): string {
  return format === "json" ? "" : errorLine(command.name, "nothing found", errStyle);
}

/**
 * Writes the failure of a call to standard error. Resolves to the exit status.
 *
 * @param input the input that the failure is about, if there is only one
 */
export async function writeFailure(
  run: CommandRun,
  failure: FailedCall,
  input: string | undefined = undefined,
): Promise<ExitStatus> {
  const { command, context, format, errStyle, subjectOf, hintOf, rejectArguments } = run;
  if (failure.status === EXIT.usage && format !== "json") {
    rejectArguments(failure.message);
  }
  const subject = input === undefined ? undefined : subjectOf(input);
  const hint = input === undefined ? "" : hintOf(input);
  await context.err.sink.write(
    format === "json"
      ? errorJson(failure, subject)
      : errorLine(command.name, failure.message + hint, errStyle, namedSubject(failure, subject)),
  );
  return failure.status;
}
