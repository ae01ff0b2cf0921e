import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { MAIN } from "../support/programs.js";

/** Whether programs can run on a terminal: with the `script` of util-linux (script(1)). Others of this name have other arguments. */
export const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

/** What a terminal shows, and the exit status. */
export interface TerminalResult {
  readonly screen: string;
  readonly status: number;
}

/**
 * Runs a shell command on a terminal of 80 columns.
 *
 * @param answer returns what is typed, once, when the terminal shows a text
 */
export async function type(
  command: string,
  env: Readonly<Record<string, string>> = {},
  answer: (screen: string) => string | undefined = () => undefined,
): Promise<TerminalResult> {
  const line = `stty cols 80; ${command.replaceAll("utility-tools", `"${process.execPath}" "${MAIN}"`)}`;
  const program = spawn("script", ["-qec", line, "/dev/null"], {
    env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  let isTyped = false;
  program.stdout.setEncoding("utf8").on("data", (part: string) => {
    screen += part;
    const typed = isTyped ? undefined : answer(screen);
    if (typed !== undefined) {
      isTyped = true;
      program.stdin.write(typed);
    }
  });
  const [status] = await once(program, "close");
  return { screen: screen.replaceAll("\r\n", "\n"), status };
}
