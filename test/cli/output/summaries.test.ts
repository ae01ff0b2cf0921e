import { SERVICES } from "@utility-tools/protos/services.js";
import { expect, test } from "vitest";
import { deriveCommands } from "../../../src/cli/commands.js";
import { summaryOfCommand } from "../../../src/cli/output/summaries.js";

test("commands whose response has a summary", () => {
  const commands = deriveCommands(Object.values(SERVICES)).filter(
    (each) => summaryOfCommand(each) !== undefined,
  );
  expect(commands.map(({ name }) => name)).toEqual([
    "about",
    "countries",
    "countries search",
    "country",
    "email",
    "email explain",
    "geoip",
    "geoip asn",
    "hotp generate",
    "otp generate",
    "otp verify",
  ]);
});
