import { CommandFailure, OPENAPI_USAGE, openApiCommand } from "./openapi-command.js";

/** What a command reads and writes. */
export interface Terminal {
  /** Throws an Error for a file that cannot be read. */
  readFile(path: string): Uint8Array;
  writeOutput(text: string): void;
  writeError(text: string): void;
}

/**
 * Runs a command of the package. Returns the exit status: 0, 64 for invalid arguments, or 65 for an invalid file. Failures are one
 * line on standard error.
 */
export function run([command, ...args]: readonly string[], terminal: Terminal): number {
  try {
    terminal.writeOutput(outputOf(command, args, terminal));
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof CommandFailure)) {
      throw thrown;
    }
    const prefix = command === "openapi" ? "connect-transcoding openapi" : "connect-transcoding";
    terminal.writeError(`${prefix}: ${thrown.message}\n`);
    return thrown.status;
  }
}

function outputOf(command: string | undefined, args: readonly string[], terminal: Terminal): string {
  switch (command) {
    case "openapi":
      return openApiCommand(args, terminal.readFile);
    case "--help":
    case "-h":
      return OPENAPI_USAGE;
    case undefined:
      throw new CommandFailure(64, "a command is missing; available: openapi");
    default:
      throw new CommandFailure(64, `'${command}' is not a command; available: openapi`);
  }
}
