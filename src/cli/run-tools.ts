import { randomBytes } from "node:crypto";
import { fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { createRegistry } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { createMethodTable, enforceDeadline, guard } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { COMMANDS } from "../service/config/commands.js";
import { readConfig } from "../service/config/read-config.js";
import type { WatchFiles } from "../service/data-files/data-files.js";
import { loadDocumentation } from "../service/documentation.js";
import { describeBug } from "../service/telemetry/describe-bug.js";
import { qrCode } from "../tools/barcode/qr-code.js";
import { loadToolsFor } from "../tools/load-tools.js";
import { callInProcess } from "./call-method.js";
import { deriveCommands } from "./derive-commands.js";
import { EXIT, type ExitStatus } from "./exit-status.js";
import { readPieces } from "./input-error.js";
import type { Output, Program } from "./program.js";
import { runProgram } from "./run-program.js";
import { fileSink, streamSink } from "./sink.js";

/** A command is over before files change. */
const watchNothing: WatchFiles = async () => ({ stop: () => {} });

/** Runs the program for the arguments of tools: the commands that the protos have, help and completion. */
export function runTools(args: readonly string[]): Promise<ExitStatus> {
  const services = Object.values(SERVICES);
  const { comments, info } = loadDocumentation();
  const commands = deriveCommands(services, comments);
  const others = COMMANDS.map(({ name }) => name);
  const program: Program = {
    version: info.version,
    comments,
    registry: createRegistry(...services.map(({ file }) => file)),
    env: process.env,
    input: standardInput(),
    out: outputOf(process.stdout, "standard output"),
    err: outputOf(process.stderr, "standard error"),
    now: Date.now,
    openFile: fileSink,
    openHere,
    openService,
    qrCode: (text) => {
      const code = qrCode(text);
      return code.ok ? code.value : undefined;
    },
  };
  return runProgram(args, commands, others, program);
}

/** Loads what calls of one service need, with the settings that the service has in the environment. */
const openHere: Program["openHere"] = async (service) => {
  const config = readConfig(process.env);
  if (!config.ok) {
    return { ok: false, failure: { ...config.failure, status: EXIT.config } };
  }
  const refused: string[] = [];
  const tools = await loadToolsFor(service, config.value, {
    now: Date.now,
    randomBytes,
    watchFiles: watchNothing,
    report: (event) => {
      // Others can do without, such as the one that tells which data there is.
      if (event.kind === "data_refused" && event.service === service.typeName) {
        refused.push(event.description);
      }
    },
  });
  if (!tools.ok) {
    return { ok: false, failure: { ...tools.failure, status: EXIT.unavailable } };
  }
  if (refused.length > 0) {
    const description = refused.join("; ");
    return { ok: false, failure: { reason: "DATA_UNAVAILABLE", description, status: EXIT.unavailable } };
  }
  const methods = createMethodTable(tools.value, [
    guard((bug, { method }) => console.error(methodName(method), describeBug(bug))),
    enforceDeadline,
  ]);
  const { publicBaseUrl, host, port } = config.value;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { ok: true, value: callInProcess(methods, publicBaseUrl ?? `http://${authority}`) };
};

/** Makes the client that the package exports. It is loaded where a service is asked: most commands do without. */
const openService: Program["openService"] = async ({ url, apiKey, timeoutMs }) => {
  const { createUtilityToolsClient, methodOf } = await import("@utility-tools/client");
  const client = createUtilityToolsClient(url, { apiKey, timeout: timeoutMs });
  return (method, request) => methodOf(client, method)(request);
};

function outputOf(stream: NodeJS.WriteStream, name: string): Output {
  // A terminal that does not know its width says 0.
  const width = stream.columns || undefined;
  return { isTerminal: stream.isTTY === true, width, sink: streamSink(stream, name) };
}

/** Opens standard input no sooner than it is read: that can fail, and most commands do without. */
function standardInput(): Program["input"] {
  async function* pieces(): AsyncGenerator<Buffer> {
    // Node takes a folder for input that is at its end.
    if (fstatSync(0).isDirectory()) {
      throw Object.assign(new Error("standard input is a folder"), { code: "EISDIR" });
    }
    yield* process.stdin;
  }
  return { isTerminal: isatty(0), size: sizeOfInput(), pieces: readPieces(pieces()) };
}

/** Octets of the file that standard input is; undefined where it is none. */
function sizeOfInput(): number | undefined {
  try {
    const stat = fstatSync(0);
    return stat.isFile() ? stat.size : undefined;
  } catch {
    return undefined;
  }
}
