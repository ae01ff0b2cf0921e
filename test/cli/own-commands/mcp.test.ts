import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, describe, expect, test } from "vitest";
import { MAIN } from "../../support/programs.js";

afterAll(endPrograms);

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};

/** Runs the command with messages on standard input. Returns the messages on standard output by ID, and the exit status. */
async function serve(messages: readonly object[], env: Record<string, string> = {}) {
  const program = runProgram([MAIN, "mcp"], env);
  for (const message of messages) {
    program.process.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
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
    expect(list.tools).toHaveLength(14);
    expect(call.structuredContent).toMatchObject({
      ip: "8.8.8.8",
      metadata: { location: { country: "US" } },
    });
  });

  test("names an invalid setting", async () => {
    expect(await serve([], { PORT: "x" })).toMatchObject({
      status: 78,
      answers: [],
      err: expect.stringMatching(/^utility-tools mcp: PORT/),
    });
  });
});
