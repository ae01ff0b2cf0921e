import { UnknownOptionError } from "@utility-tools/http-server";
import { expect, test } from "vitest";
import { limitRate } from "../src/access/rate-limit.js";
import { openSharedStore } from "../src/access/rate-limit-store.js";
import { requireApiKey } from "../src/access/require-api-key.js";
import { createLog } from "../src/telemetry/log.js";
import { startSpans } from "../src/telemetry/spans.js";

test.each([
  [requireApiKey, "requireApiKey"],
  [limitRate, "limitRate"],
  [openSharedStore, "openSharedStore"],
  [createLog, "createLog"],
  [startSpans, "startSpans"],
] as const)("%o rejects an unknown option", async (run, where) => {
  const thrown = await Promise.resolve()
    .then((): unknown => run({ zone: undefined } as never))
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(UnknownOptionError);
  expect(thrown).toMatchObject({ where, option: "zone" });
});
