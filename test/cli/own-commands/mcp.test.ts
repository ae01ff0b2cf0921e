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
    expect(list.tools).toHaveLength(14);
    expect(call.structuredContent).toMatchObject({
      ip: "8.8.8.8",
      metadata: { location: { country: "US" } },
    });
  });

  test("rejects deep nesting, too many values and an argument __proto__, and goes on", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const call = (id: number, args: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"geo_ip_lookup_ip","arguments":${args}}}`;
    const { status, answers, err } = await serve([
      INITIALIZE,
      call(2, `{"ip_address":${deep}}`),
      `{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"capabilities":{"experimental":{"x":{"y":${deep}}}}}}`,
      call(4, '{"ip_address":"8.8.8.8","__proto__":{"x":1}}'),
      call(5, '{"ip_address":"8.8.8.8"}'),
      `{"jsonrpc":"2.0","id":6,"method":"ping","params":{"x":[${"0,".repeat(10_000)}0]}}`,
    ]);
    expect([status, err]).toEqual([0, ""]);
    const answerTo = (id: number) => answers.find((each) => each.id === id);
    const tooLarge = { code: -32_602, message: "the message has more than 10000 values or 64 levels" };
    expect([2, 3, 6].map((id) => answerTo(id)?.error)).toEqual([tooLarge, tooLarge, tooLarge]);
    expect(answerTo(4)?.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("__proto__") }],
    });
    expect(answerTo(5)?.result.structuredContent).toMatchObject({ ip: "8.8.8.8" });
  });

  test("names an invalid setting", async () => {
    expect(await serve([], { PORT: "x" })).toMatchObject({
      status: 78,
      answers: [],
      err: expect.stringMatching(/^utility-tools mcp: PORT/),
    });
  });
});
