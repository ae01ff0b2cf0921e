import { expect, test } from "vitest";
import { readConfig } from "../../../src/service/config/read-config.js";
import { readInvocation } from "../../../src/service/config/read-invocation.js";

test.each([[[]], [["serve"]], [["--port", "1", "serve"]], [["--", "serve"]]])("%j serves", (args) => {
  const config = readConfig({ HOST: "::" }, new Map(args.includes("--port") ? [["--port", "1"]] : []));
  expect(config.ok).toBe(true);
  expect(readInvocation({ HOST: "::" }, args)).toEqual({
    ok: true,
    value: { kind: "serve", config: config.ok && config.value },
  });
});

test.each([
  [["--help"], "help"],
  [["--version"], "version"],
  [["--prot", "-h", "--port", "x"], "help"],
  [["nothing", "-v"], "version"],
])("%j asks for %s, whatever is wrong besides", (args, kind) => {
  expect(readInvocation({ PORT: "x" }, args)).toEqual({ ok: true, value: { kind } });
});

const NO_COMMAND = "the first argument behind flags must be a command of the service: serve, make-key";

test.each<[string[], string]>([
  [["hunter2"], NO_COMMAND],
  [["SERVE"], NO_COMMAND],
  [[""], NO_COMMAND],
  [["--port=1", "--", "--port=1"], NO_COMMAND],
  [["serve", "hunter2"], "serve takes no argument"],
  [["--workers"], "--workers needs a value"],
  [
    ["--prot", "--workers=0", "hunter2", "hunter2"],
    `--prot is not known: serve --help lists all flags; ${NO_COMMAND}; --workers must be a number from 1 to 256`,
  ],
])("%j is refused", (args, description) => {
  expect(readInvocation({}, args)).toEqual({
    ok: false,
    failure: { reason: "INVALID_SETTING", description },
  });
});
