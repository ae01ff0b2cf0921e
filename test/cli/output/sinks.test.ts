import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { endOutputs, outputFile, standardOutput } from "../../../src/cli/output/sinks.js";
import { EXIT } from "../../../src/failures/exit-status.js";

/** A standard output whose writes fail with a code of the system. */
function failingWith(code: string) {
  const stream = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
  });
  return standardOutput(stream as NodeJS.WriteStream, "standard output");
}

test.each([
  ["a full device", failingWith("ENOSPC"), EXIT.io],
  ["a file that cannot be created", outputFile("/nowhere/x"), EXIT.io],
  ["a reader that has closed its end", failingWith("EPIPE"), EXIT.invalidInput],
])("the exit status of %s", async (_, output, status) => {
  output.sink.write("text").catch(() => {});
  expect(await endOutputs(EXIT.invalidInput, output)).toBe(status);
});

test("the exit status of outputs that are written is the given one", async () => {
  expect(await endOutputs(EXIT.ok, outputFile("/nowhere/x"))).toBe(EXIT.ok);
});
