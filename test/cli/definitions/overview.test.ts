import { expect, test } from "vitest";
import { createOverview } from "../../../src/cli/definitions/overview.js";
import { defineProgram, summariesOf } from "../../../src/cli/program.js";
import { collector, runHere } from "../run-tools.js";

test("the help of the summaries is the help of the program", async () => {
  const { stream, text } = collector();
  createOverview(summariesOf(await defineProgram()), { out: stream, err: stream }).outputHelp();
  expect(await runHere(["--help"])).toEqual({ status: 0, out: text(), err: "" });
});
