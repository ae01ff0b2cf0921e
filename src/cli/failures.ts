import { Code, ConnectError } from "@connectrpc/connect";
import { readError } from "@utility-tools/client";
import { codeName } from "connect-transcoding";
import type { Environment } from "../config/read-config.js";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { flagName, placeholderOf, type ToolCommand } from "./commands.js";
import type { OutputStream } from "./output/sinks.js";
import { createStyle, cutToWidth, displayText, type Style, usesColors } from "./output/terminal.js";

/** The exit statuses of codes. All others are about the input. */
const STATUSES: Readonly<Partial<Record<Code, ExitStatus>>> = {
  [Code.Unavailable]: EXIT.unavailable,
  [Code.Internal]: EXIT.software,
  [Code.Unknown]: EXIT.software,
  [Code.DataLoss]: EXIT.software,
  [Code.ResourceExhausted]: EXIT.temporary,
  [Code.DeadlineExceeded]: EXIT.temporary,
  [Code.Aborted]: EXIT.temporary,
  [Code.Canceled]: EXIT.temporary,
  [Code.Unimplemented]: EXIT.protocol,
  [Code.Unauthenticated]: EXIT.noPermission,
  [Code.PermissionDenied]: EXIT.noPermission,
};

/** The failure of a call, or of one input of many. */
export interface CallFailure {
  readonly code: Code;
  /** The reason of the violation if exactly one field is invalid, otherwise that of the error. */
  readonly reason: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The failure of a call, with the exit status. It is that of wrong arguments if a flag has a wrong value. */
export interface FailedCall extends CallFailure {
  readonly status: ExitStatus;
}

/**
 * Reads the error of a call, in this process or of a service. A violation of the operand alone is reported without a name, as batches
 * do; others have the name of the flag. A flag that contradicts an input, which the reason then names, is a problem of that input: others
 * of a list can have the value. Throws every other exception again, because it is a bug.
 */
export function callFailure(
  thrown: unknown,
  { operand, uriOperand, fields }: Pick<ToolCommand, "operand" | "uriOperand" | "fields">,
): FailedCall {
  if (!(thrown instanceof ConnectError)) {
    throw thrown;
  }
  const { code, reason, message, metadata, violations } = readError(thrown);
  const [only] = violations.length === 1 ? violations : [];
  const flagOf = (name: string) => fields.find((field) => field.name === name) && flagName(name);
  const operands = [operand, uriOperand].filter((field) => field !== undefined);
  const subjectOf = (name: string) => {
    const input = operands.find((field) => field.name === name);
    return flagOf(name) ?? (input === undefined ? `${name}:` : placeholderOf(input));
  };
  const flags = violations.filter((each) => flagOf(each.field) !== undefined);
  const isOfInput = (each: string) => operands.some(({ name }) => each.endsWith(`_${name.toUpperCase()}`));
  const isUsage = flags.some((each) => !isOfInput(each.reason));
  const isInput = operands.some(({ name }) => name === only?.field);
  return {
    code,
    reason: only?.reason || reason || codeName(code),
    message:
      flags.length > 0
        ? violations.map(({ field, description }) => `${subjectOf(field)} ${description}`).join("; ")
        : isInput
          ? (only?.description ?? message)
          : message || `the server responds ${codeName(code)} and gives no reason`,
    metadata,
    status: isUsage ? EXIT.usage : (STATUSES[code] ?? EXIT.invalidInput),
  };
}

/** The failure of an input that is rejected before any call. */
export function invalidInput(reason: Uppercase<string>, message: string): CallFailure {
  return { code: Code.InvalidArgument, reason, message, metadata: {} };
}

/** Columns of an input that an error shows. */
const SHOWN_COLUMNS = 100;

/** The subject of an error: an input, or the field of a secret, whose value must not be shown. */
export type ErrorSubject =
  | { readonly kind: "input"; readonly text: string }
  | { readonly kind: "secret"; readonly name: string };

/** The subject of an error, unless its message names the input: an input is not repeated. */
export function namedSubject(
  { message, metadata }: CallFailure,
  subject: ErrorSubject | undefined,
): ErrorSubject | undefined {
  const isNamed =
    subject?.kind === "input" &&
    subject.text !== "" &&
    (message.startsWith(`${subject.text} `) ||
      (Object.values(metadata).includes(subject.text) && message.includes(subject.text)));
  return isNamed ? undefined : subject;
}

/** Formats an error as a line for standard error: `utility-tools geoip: 10.0.0.1: …`. */
export function errorLine(command: string, message: string, style: Style, subject?: ErrorSubject): string {
  const prefix = style.alert(`utility-tools${command === "" ? "" : ` ${command}`}:`);
  const about = subjectText(message, subject);
  return `${prefix} ${about === "" ? "" : `${about}: `}${displayText(message)}\n`;
}

/** Returns a function that writes errors of a command to standard error. */
export function reporterOf(
  command: string,
  { err, env }: { readonly err: OutputStream; readonly env: Environment },
): (problem: string) => Promise<void> {
  const style = createStyle(usesColors(err.isTerminal, env));
  return (problem) => err.sink.write(errorLine(command, problem, style));
}

function subjectText(message: string, subject: ErrorSubject | undefined): string {
  if (subject?.kind === "secret") {
    // If several fields are invalid, the message names each of them.
    return message.startsWith(`${subject.name}: `) ? "" : subject.name;
  }
  return subject === undefined ? "" : cutToWidth(displayText(subject.text), SHOWN_COLUMNS) || '""';
}

/**
 * Formats an error as a line of JSON, with the members of a batch's item: the error is a `utilitytools.v1.ItemError`.
 */
export function errorJson({ code, reason, message, metadata }: CallFailure, subject?: ErrorSubject): string {
  const input = subject?.kind === "input" ? `"input":${JSON.stringify(subject.text)},` : "";
  return `{${input}"error":${JSON.stringify({ code: codeName(code), reason, message, metadata })}}\n`;
}
