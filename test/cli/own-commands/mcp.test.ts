import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, describe, expect, test } from "vitest";
import { MAIN } from "../../support/programs.js";

afterAll(endPrograms);

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** Runs the command with messages on standard input. Returns the messages on standard output by ID, and the exit status. */
async function serve(messages: readonly (object | string)[], env: Record<string, string> = {}) {
  const program = runProgram([MAIN, "mcp"], env);
  for (const message of messages) {
    const line = typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
    program.process.stdin?.write(`${line}\n`);
  }
  const last = messages.length;
  if (last > 0) {
    await program.says(new RegExp(`"id":${last}\\b`));
  }
  program.process.stdin?.end();
  const status = await program.exit;
  const lines = program.out().split("\n").slice(0, -1);
  return { status, answers: lines.map((line) => JSON.parse(line)), err: program.err() };
}

describe("utility-tools mcp", () => {
  test("serves the tools over standard input and output, until that ends", async () => {
    const { status, answers, err } = await serve([
      INITIALIZE,
      { id: 2, method: "tools/list" },
      {
        id: 3,
        method: "tools/call",
        params: { name: "geo_ip_lookup_ip", arguments: { ip_address: "8.8.8.8" } },
      },
    ]);
    expect([status, err]).toEqual([0, ""]);
    const [info, list, call] = [1, 2, 3].map((id) => answers.find((each) => each.id === id)?.result);
    expect(info).toMatchObject({ protocolVersion: "2025-11-25", serverInfo: { name: "utility-tools" } });
    expect(list.tools).toHaveLength(15);
    expect(call.structuredContent).toMatchObject({
      ip: "8.8.8.8",
      metadata: { location: { country: "US" } },
    });
  });

  test("goes on after messages that are not valid, and serves the last line without its end", async () => {
    const program = runProgram([MAIN, "mcp"]);
    program.process.stdin?.end(`{\n"${"x".repeat(1024 * 1024)}"\n{"jsonrpc":"2.0","id":3,"method":"ping"}`);
    expect(await program.exit).toBe(0);
    const answers = program.out().trimEnd().split("\n");
    expect(answers.map((line) => JSON.parse(line))).toEqual([
      { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "the message is not JSON" } },
      {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32_000, message: "the message has more than 1048576 bytes" },
      },
      { jsonrpc: "2.0", id: 3, result: {} },
    ]);
  });

  test("ends with an error if the program that has started it no longer reads", async () => {
    const program = runProgram([MAIN, "mcp"]);
    program.process.stdout?.destroy();
    program.process.stdin?.on("error", () => {}).write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect([await program.exit, program.err()]).toEqual([
      74,
      "utility-tools mcp: standard output cannot be written (its reader is gone)\n",
    ]);
  });

  test("names an invalid setting", async () => {
    expect(await serve([], { PORT: "x" })).toMatchObject({
      status: 78,
      answers: [],
      err: expect.stringMatching(/^utility-tools mcp: PORT/),
    });
  });
});
