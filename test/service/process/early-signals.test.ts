import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { endPrograms, runProgram } from "../../run-program.js";

afterEach(endPrograms);

// Signals end processes, so that each case is one; it runs what is built in dist/, as `npm test` does first.
const MODULE = join(
  import.meta.dirname,
  "..",
  "..",
  "..",
  "dist",
  "src",
  "service",
  "process",
  "early-signals.js",
);

function run(body: string) {
  const program = `
    import { leaveEarlySignals, takeEarlySignals } from ${JSON.stringify(MODULE)};
    takeEarlySignals();
    setInterval(() => undefined, 1_000);
    ${body}`;
  return runProgram(["--input-type=module", "--eval", program]);
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends the process with 0, and SIGHUP does nothing",
  async (name) => {
    const {
      says,
      process: child,
      exit,
      err,
    } = run(`
    process.on("SIGHUP", () => console.log("hung up"));
    console.log("taken");`);
    await says(/taken/);
    child.kill("SIGHUP");
    await says(/hung up/);
    child.kill(name);
    expect(await exit).toBe(0);
    expect(err()).toBe("");
  },
);

test("one that came just before they are left reaches who listens then", async () => {
  const { exit } = run(`
    process.kill(process.pid, "SIGTERM");
    process.on("SIGTERM", () => process.exit(7));
    leaveEarlySignals();`);
  expect(await exit).toBe(7);
});

test("once left, signals do what they do to any process", async () => {
  const {
    says,
    process: child,
    exit,
  } = run(`
    leaveEarlySignals();
    console.log("left");`);
  await says(/left/);
  child.kill("SIGHUP");
  expect(await exit).toBe("SIGHUP");
});
