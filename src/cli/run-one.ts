import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { takesSecret } from "./commands.js";
import { callFailure, errorLine } from "./failures.js";
import type { Operands } from "./input/operands.js";
import { secretInRecord } from "./input/secret-records.js";
import { readWholeInput } from "./input/whole-input.js";
import { type CheckResult, checkCode } from "./one-time-passwords.js";
import { responseFormats } from "./output/formats.js";
import { renderQrCode } from "./output/lists.js";
import { renderOne } from "./output/render.js";
import { type CommandRun, isEmptyList, nothingFound, writeFailure } from "./run.js";
import { StreamError } from "./stream-error.js";

type SingleOperand = Exclude<Operands, { readonly kind: "many" }>;

/** Makes one call and writes the response. */
export async function runOne(run: CommandRun, operands: SingleOperand): Promise<ExitStatus> {
  const { command, context, call, out, width, format } = run;
  const text = await readText(run, operands);
  try {
    const request = run.build(text);
    const message = await call(command.method, request);
    if (run.flags.code !== undefined) {
      return await writeCheck(run, checkCode(command, run.flags.code, message));
    }
    const formats = responseFormats(command.method, context.registry, command.value);
    const bytes = format === "text" ? formats.bytes?.(message) : undefined;
    if (bytes !== undefined && width !== undefined) {
      const drawn = run.hasDefaults ? renderQrCode(request, command.qrCode, width, run.style) : [];
      if (drawn.length > 0) {
        await out.sink.write(drawn.join("\n"));
        return EXIT.ok;
      }
      if (run.hasDefaults || !isText(bytes.contentType)) {
        const what = run.hasDefaults ? "a QR code of this width" : bytes.contentType;
        const hint = `a terminal cannot show ${what}: write it to a file with --output FILE or > FILE`;
        await context.err.sink.write(errorLine(command.name, hint, run.errStyle));
        return EXIT.usage;
      }
    }
    await out.sink.write(bytes?.data ?? renderOne(message, text ?? "", { ...run, formats }));
    if (isEmptyList(formats, message)) {
      await context.err.sink.write(nothingFound(run));
      return EXIT.invalidInput;
    }
    return EXIT.ok;
  } catch (thrown) {
    if (thrown instanceof StreamError) {
      throw thrown;
    }
    const failure = callFailure(thrown, command);
    // A service that cannot be reached is not the fault of the input.
    return writeFailure(run, failure, failure.status === EXIT.invalidInput ? text : undefined);
  }
}

/** The text of a single operand; undefined without one. */
async function readText(
  { command, context, input }: CommandRun,
  operands: SingleOperand,
): Promise<string | undefined> {
  switch (operands.kind) {
    case "none":
      return undefined;
    case "one":
      return operands.text;
    case "ask":
      return context.ask(`${command.operand?.name ?? "input"}: `);
    case "whole_input": {
      const text = await readWholeInput(input);
      if (!operands.isFile && text.includes("\n")) {
        throw new StreamError(
          "standard input has several lines, and the output is one: --file FILE encodes a text with line breaks, '--file -' " +
            "that of standard input",
          EXIT.usage,
        );
      }
      return takesSecret(command) ? secretInRecord(text) : text;
    }
  }
}

/** Writes whether a response agrees with what the user gave. */
async function writeCheck(run: CommandRun, { isValid, text, json }: CheckResult): Promise<ExitStatus> {
  const { command, context, out, format, errStyle } = run;
  if (format === "json") {
    await out.sink.write(`${json}\n`);
  } else if (isValid) {
    await out.sink.write(`${text}\n`);
  } else {
    await context.err.sink.write(errorLine(command.name, text, errStyle));
  }
  return isValid ? EXIT.ok : EXIT.invalidInput;
}

/** Whether the bytes of a media type can be shown on a terminal. */
function isText(contentType: string): boolean {
  return /^text\/|[/+](?:xml|json)\b/.test(contentType);
}
