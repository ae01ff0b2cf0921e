import { answerForm } from "./answer-form.js";
import { callFailure } from "./call-failure.js";
import { complaint } from "./complaint.js";
import { EXIT, type ExitStatus, exitStatusOf } from "./exit-status.js";
import { InputError } from "./input-error.js";
import type { Operands } from "./operands.js";
import { drawing, renderOne } from "./render-one.js";
import { type Run, tell } from "./run.js";
import { SinkError } from "./sink.js";

/** Makes one call, and writes its answer. */
export async function runOne(run: Run, operands: Exclude<Operands, { kind: "many" }>): Promise<ExitStatus> {
  const { command, program, call, out, isJson, errStyle } = run;
  const text =
    operands.kind === "one"
      ? operands.text
      : operands.kind === "whole_input"
        ? await wholeInput(program.input.pieces)
        : undefined;
  const method = operands.kind === "none" ? (command.withoutOperand ?? command.method) : command.method;
  try {
    const request = method === command.method ? run.build(text) : {};
    const message = await call(method, request);
    const form = answerForm(method, program.registry);
    const width = out.isTerminal ? (out.width ?? 80) : undefined;
    const octets = isJson ? undefined : form.octets?.(message);
    const drawn =
      octets !== undefined && width !== undefined && run.isPlain
        ? drawing(request, command.qrCode, { ...run, qrCode: program.qrCode }, width)
        : [];
    if (drawn.length > 0) {
      await out.sink.write(drawn.join("\n"));
      return EXIT.ok;
    }
    if (octets !== undefined && out.isTerminal && !isText(octets.contentType)) {
      const hint = `a terminal cannot show ${octets.contentType}: write it to a file with --output FILE or > FILE`;
      await program.err.sink.write(complaint(command.name, hint, errStyle));
      return EXIT.usage;
    }
    await out.sink.write(
      renderOne(message, { ...run, form, width, now: program.now, qrCode: program.qrCode }),
    );
    return EXIT.ok;
  } catch (thrown) {
    if (thrown instanceof SinkError || thrown instanceof InputError) {
      throw thrown;
    }
    const failure = callFailure(thrown, command.operand?.name);
    const status = exitStatusOf(failure.code);
    // An input is not to blame for a service that cannot be reached.
    const isAboutInput = text !== undefined && status === EXIT.answeredWithError;
    await tell(run, failure, isAboutInput ? run.subjectOf(text) : undefined);
    return status;
  }
}

/** The longest text that is read as one input, in octets. */
const MAX_TEXT = 64 * 1024;

/** All of standard input as one text, without the end of its last line. */
async function wholeInput(pieces: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  let octets = 0;
  for await (const piece of pieces) {
    read.push(piece);
    octets += piece.length;
    if (octets > MAX_TEXT) {
      break;
    }
  }
  return Buffer.concat(read)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** Whether the octets of a media type can be shown as they are. */
function isText(contentType: string): boolean {
  return /^text\/|[/+](?:xml|json)\b/.test(contentType);
}
