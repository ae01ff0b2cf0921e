import { runProgram } from "connect-transcoding-testing/run-program.js";
import { openLocalService } from "../../src/cli/calls/calls.js";
import type { OutputStream } from "../../src/cli/output/sinks.js";
import { runTools } from "../../src/cli/program.js";
import type { Config } from "../../src/config/config.js";
import { readConfig } from "../../src/config/read-config.js";
import { loadToolsFor } from "../../src/tools/load-tools.js";
import { realTools } from "../contract/support/serve.js";
import { MAIN } from "../support/programs.js";

/** What a command reads. */
export interface CommandInput {
  /** Standard input. */
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a command wrote, and its exit status. */
export interface CommandResult {
  readonly status: number | string | null;
  readonly out: string;
  readonly err: string;
}

/** A result with the bytes of standard output as well. */
export interface CommandBytes extends CommandResult {
  readonly bytes: Buffer;
}

function hasDefaultData({ geoIpCityFiles, geoIpAsnFiles, dataDir }: Config): boolean {
  const defaults = readConfig({});
  return (geoIpCityFiles ?? geoIpAsnFiles) === undefined && defaults.ok && dataDir === defaults.value.dataDir;
}

/** Returns the tools with the default data, which all tests of a process share, or loads those with other data. */
const loadShared: typeof loadToolsFor = async (service, config, environment) =>
  hasDefaultData(config)
    ? { ok: true, value: await realTools() }
    : loadToolsFor(service, config, environment);

/**
 * Runs a command in this process, with streams that are no terminals. Most tests do: a process for each command would take most
 * of their time.
 */
export async function runHere(
  args: readonly string[],
  { input = "", env = {} }: CommandInput = {},
): Promise<CommandBytes> {
  const [out, err] = [collector(), collector()];
  const status = await runWith(args, env, input, { out: out.stream, err: err.stream });
  const result: CommandResult = { status, out: out.text(), err: err.text() };
  // Tests that compare results have no bytes.
  return Object.defineProperty(result, "bytes", { value: out.bytes() }) as CommandBytes;
}

/** Runs a command in this process, as on a terminal of 80 columns without colors. Both outputs are its screen. */
export async function runOnScreen(...args: readonly string[]) {
  const { stream, text } = collector();
  const screen: OutputStream = { ...stream, isTerminal: true, width: 80 };
  const status = await runWith(args, { NO_COLOR: "1" }, "", { out: screen, err: screen });
  return { status, screen: text() };
}

function runWith(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string | Uint8Array,
  outputs: { readonly out: OutputStream; readonly err: OutputStream },
) {
  return runTools(args, {
    env,
    input: { isTerminal: false, size: undefined, chunks: chunksOf(input) },
    ...outputs,
    ask: () => Promise.reject(new Error("no test answers questions")),
    openLocal: (service, env, options) => openLocalService(service, env, options, loadShared),
  });
}

async function* chunksOf(input: string | Uint8Array): AsyncGenerator<Buffer> {
  if (input.length > 0) {
    yield Buffer.from(input);
  }
}

/** An output that keeps what is written. */
export function collector(): { readonly stream: OutputStream; text(): string; bytes(): Buffer } {
  const parts: Buffer[] = [];
  const write = async (data: string | Uint8Array) => void parts.push(Buffer.from(data));
  const bytes = () => Buffer.concat(parts);
  const stream = { isTerminal: false, width: undefined, sink: { write, end: async () => {} } };
  return { stream, bytes, text: () => bytes().toString() };
}

/** Runs the program in a process until it exits. No stream is a terminal. */
export async function runProcess(args: readonly string[], { input = "", env = {} }: CommandInput = {}) {
  const program = runProgram([MAIN, ...args], env);
  // A program that does not read its input may exit before the input is written.
  program.process.stdin?.on("error", () => {});
  program.process.stdin?.end(input);
  const status = await program.exit;
  return { status, out: program.out(), err: program.err() };
}
