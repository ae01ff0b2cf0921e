import { createLog, openStandardOutput } from "connect-transcoding-operations/telemetry/log";

/**
 * Writes why the service cannot start to standard error: as a line of the log if the log is JSON, otherwise as text. The log
 * may not exist yet, and its level does not apply.
 */
export function reportStartProblem(problem: string): void {
  const line = `utility-tools cannot start: ${problem}`;
  if (isLogText()) {
    console.error(line);
  } else {
    createLog({ level: "error", destination: openStandardOutput(process.stderr.fd) }).logger.error(line);
  }
}

/** Whether people read standard output. Other readers expect every line to be JSON. */
export function isLogText(format = process.env.LOG_FORMAT): boolean {
  return process.stdout.isTTY && format !== "json";
}
