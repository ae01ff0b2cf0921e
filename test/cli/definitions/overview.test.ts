import { expect, test } from "vitest";
import { createOverview, overviewOf } from "../../../src/cli/definitions/overview.js";
import { defineProgram } from "../../../src/cli/program.js";
import { runHere } from "../run-tools.js";

test("the help of the summaries is the help of the program", async () => {
  let text = "";
  const sink = {
    write: async (data: string | Uint8Array) => {
      text += String(data);
    },
    end: async () => {},
  };
  const output = { isTerminal: false, width: undefined, sink };
  createOverview(defineProgram().commands.map(overviewOf), { out: output, err: output }).outputHelp();
  const { status, out } = await runHere(["--help"]);
  expect(status).toBe(0);
  expect(text).toBe(out);
});
