import type { Command } from "commander";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { type OtpExport, readOtpExport } from "../../text/otp-migration.js";
import { errorLine } from "../failures.js";
import { readWholeInput, STANDARD_INPUT } from "../input/operands.js";
import { InputError, inputFile } from "../input/streams.js";
import { createStyle, usesColors } from "../output/terminal.js";
import { addExample } from "../root.js";
import type { ProcessContext } from "../run.js";

/** The words of the command. */
export const IMPORT_COMMAND = "otp import";

/** Adds the description and the flags of `otp import`. */
export function describeImportOtp(command: Command): void {
  addExample(command, `utility-tools ${IMPORT_COMMAND} --secret-file export.txt`);
  command
    .summary("read the accounts of Google Authenticator's export")
    .description(
      "Read the accounts of Google Authenticator's export, and write the key URI of each, on a line of its own. Each is an input of " +
        "otp code, otp verify or hotp verify. The accounts contain secrets. They stay in the memory of this process: " +
        "nothing is sent or stored.",
    )
    .option(
      "-f, --secret-file <FILE>",
      "read this file instead of standard input, with one link (otpauth-migration://...) per line: the texts of the QR codes. " +
        "On a terminal, a link is asked for and not shown",
    )
    .option("--json", "write JSON, one line per account");
}

/**
 * Writes the accounts of an export. Resolves to the exit status: 1 if a link is not valid, an account is not supported, or links
 * are missing. Errors name links and accounts by number.
 */
export async function importOtp(command: Command, context: ProcessContext): Promise<ExitStatus> {
  const { out, err, env } = context;
  const style = createStyle(usesColors(err.isTerminal, env));
  const { secretFile, json = false } = command.opts<{ secretFile?: string; json?: boolean }>();
  let status: ExitStatus = EXIT.ok;
  const report = async (problem: string, worse: ExitStatus = EXIT.invalidInput): Promise<void> => {
    status = worse;
    await err.sink.write(errorLine(IMPORT_COMMAND, problem, style));
  };
  const exports: OtpExport[] = [];
  try {
    for (const [index, link] of (await readLinks(secretFile, context)).entries()) {
      const read = readOtpExport(link);
      if (!read.ok) {
        await report(`link ${index + 1} ${read.failure.description}`);
        continue;
      }
      exports.push(read.value);
      for (const [place, account] of read.value.accounts.entries()) {
        if (account.ok) {
          await out.sink.write(json ? `${JSON.stringify(account.value)}\n` : `${account.value.uri}\n`);
        } else {
          await report(`link ${index + 1}: account ${place + 1} ${account.failure.description}`);
        }
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof InputError)) {
      throw thrown;
    }
    await report(thrown.message, thrown.status);
    return status;
  }
  const links = Math.max(0, ...exports.map((each) => each.links));
  const read = new Set(exports.map(({ index }) => index)).size;
  if (read < links) {
    await report(`the export has ${links} links, of which ${links - read} are missing`);
  }
  return status;
}

/** Reads the links: lines of the file or of standard input; one is asked for on a terminal. */
async function readLinks(file: string | undefined, { input, ask }: ProcessContext): Promise<string[]> {
  const isAsked = file === undefined && input.isTerminal;
  const stream = file === undefined || file === STANDARD_INPUT ? input : inputFile(file);
  const text = isAsked ? await ask("link: ") : await readWholeInput(stream);
  const links = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (links.length === 0) {
    throw new InputError("needs a link of an export: otpauth-migration://offline?data=…", EXIT.usage);
  }
  return links;
}
