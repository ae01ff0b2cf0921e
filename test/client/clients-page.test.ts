import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SERVICES } from "../../gen/services.js";
import { DEFAULT_TIMEOUT } from "../../src/client/client-options.js";
import { DEFAULT_RETRIES } from "../../src/client/retry-policy.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/clients.md"), "utf8");

/** What the page says the default of an option is. */
const defaultOf = (option: string) => new RegExp(`^\\| \`${option}\` \\| \`(.*?)\` \\|`, "m").exec(page)?.[1];

test("the page has the defaults of the client", () => {
  const { count, baseDelay, maxDelay } = DEFAULT_RETRIES;
  expect(defaultOf("timeout")).toBe(String(DEFAULT_TIMEOUT));
  expect(defaultOf("retries")).toBe(`{ count: ${count}, baseDelay: ${baseDelay}, maxDelay: ${maxDelay} }`);
});

test("the page names every service", () => {
  const named = /The clients are (.*?); their methods/s.exec(page)?.[1] ?? "";
  expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(Object.keys(SERVICES));
});
