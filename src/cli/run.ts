import type { CallFailure } from "./call-failure.js";
import type { CallMethod } from "./call-method.js";
import type { ToolCommand } from "./command.js";
import { complaint, complaintJson, type Subject } from "./complaint.js";
import type { Output, Program } from "./program.js";
import type { BuildRequest } from "./request.js";
import type { Style } from "./style.js";

/** A command with all that its arguments say, ready to run. */
export interface Run {
  readonly command: ToolCommand;
  readonly program: Program;
  readonly call: CallMethod;
  readonly build: BuildRequest;
  /** Whether calls leave this process. */
  readonly isRemote: boolean;
  readonly isJson: boolean;
  readonly showsProgress: boolean;
  /** Whether no flag says anything of the request. */
  readonly isPlain: boolean;
  readonly out: Output;
  readonly style: Style;
  readonly errStyle: Style;
  /** Whether inputs are secrets, which are not repeated. */
  readonly hasSecrets: boolean;
  /** What an error about an input says that it is about. */
  readonly subjectOf: (input: string) => Subject;
}

/** Tells what a call failed with on standard error. */
export async function tell(run: Run, failure: CallFailure, subject: Subject | undefined): Promise<void> {
  const { command, program, isJson, errStyle } = run;
  await program.err.sink.write(
    isJson ? complaintJson(failure, subject) : complaint(command.name, failure.message, errStyle, subject),
  );
}
