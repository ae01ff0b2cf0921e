#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { run } from "./run.js";

// A reader that closes the pipe, such as `head`, ends the program without a stack trace.
process.stdout.once("error", () => process.exit(74));

process.exitCode = run(process.argv.slice(2), {
  readFile: (path) => readFileSync(path),
  writeOutput: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});
