import type { Command } from "commander";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { isAppExport, readAppExport } from "../../text/otp/app-exports.js";
import type { AccountResult } from "../../text/otp/exported-account.js";
import { type OtpExport, readOtpExport } from "../../text/otp/otp-migration.js";
import { reporterOf } from "../failures.js";
import { STANDARD_INPUT } from "../input/operands.js";
import { inputFile } from "../input/streams.js";
import { readWholeInput } from "../input/whole-input.js";
import type { ProcessContext } from "../run.js";
import { StreamError } from "../stream-error.js";

/**
 * Writes the accounts of an export. Resolves to the exit status: 1 if a link is not valid, an account is not supported, or links
 * are missing. Errors name links and accounts by number.
 */
export async function importOtp(command: Command, context: ProcessContext): Promise<ExitStatus> {
  const { out } = context;
  const write = reporterOf("otp import", context);
  const { secretFile, json = false } = command.opts<{ secretFile?: string; json?: boolean }>();
  let status: ExitStatus = EXIT.ok;
  const report = async (problem: string, worse: ExitStatus = EXIT.invalidInput): Promise<void> => {
    status = worse;
    await write(problem);
  };
  const writeAccounts = async (accounts: readonly AccountResult[], source: string): Promise<void> => {
    for (const [place, account] of accounts.entries()) {
      const name = `${source}account ${place + 1}`;
      if (!account.ok) {
        await report(`${name} ${account.failure.description}`);
        continue;
      }
      const { problem, ...written } = account.value;
      await out.sink.write(json ? `${JSON.stringify(written)}\n` : `${written.uri}\n`);
      if (problem !== "") {
        await report(`${name} is written, but otp code rejects it: its key URI ${problem}`);
      }
    }
  };
  try {
    const text = await readExport(secretFile, context);
    if (isAppExport(text)) {
      const read = readAppExport(text);
      await (read.ok ? writeAccounts(read.value, "") : report(`the file ${read.failure.description}`));
      return status;
    }
    const exports: OtpExport[] = [];
    const links = text.split(/[\r\n]+/).map((line) => line.trim());
    for (const [index, link] of links.filter((line) => line !== "").entries()) {
      const read = readOtpExport(link);
      if (read.ok) {
        exports.push(read.value);
        await writeAccounts(read.value.accounts, `link ${index + 1}: `);
      } else {
        await report(`link ${index + 1} ${read.failure.description}`);
      }
    }
    for (const problem of missingLinks(exports)) {
      await report(problem);
    }
  } catch (thrown) {
    if (!(thrown instanceof StreamError)) {
      throw thrown;
    }
    if (!thrown.isReaderGone) {
      await report(thrown.message, thrown.status);
    }
  }
  return status;
}

/** Counts the links that are missing of each export. Links with the same number and size are of the same export. */
function missingLinks(links: readonly OtpExport[]): string[] {
  const exports = new Map<string, Set<number>>();
  for (const { id, links: size, index } of links) {
    const key = `${size} ${id}`;
    exports.set(key, (exports.get(key) ?? new Set()).add(index));
  }
  return [...exports].flatMap(([key, read], place) => {
    const size = Number.parseInt(key, 10);
    const name = exports.size === 1 ? "the export" : `export ${place + 1}`;
    return read.size < size ? [`${name} has ${size} links, of which ${size - read.size} are missing`] : [];
  });
}

/** The limit of an export in bytes. Those of Aegis have the icons of accounts. */
const MAX_EXPORT = 16 * 1024 * 1024;

/** Reads the file or standard input; one link is asked for on a terminal. */
async function readExport(file: string | undefined, { input, ask }: ProcessContext): Promise<string> {
  const isAsked = file === undefined && input.isTerminal;
  const stream = file === undefined || file === STANDARD_INPUT ? input : inputFile(file);
  const text = isAsked ? await ask("link: ") : await readWholeInput(stream, MAX_EXPORT);
  if (text.trim() === "") {
    throw new StreamError("needs a link of an export: otpauth-migration://offline?data=…", EXIT.invalidInput);
  }
  return text;
}
