import { expect, test } from "vitest";

interface TroubleModule {
  readonly describeTrouble: (
    error: { readonly code: string; readonly retryAfter: number | undefined },
    attempt: number,
    isOnline: boolean,
  ) => { readonly title: string; readonly text: string; readonly delay: number };
}

// By URL: the types of the page need the DOM, which tests do not have. A check of unused exports knows this form.
const MODULE = new URL("../../../src/workbench/shell/trouble.tsx", import.meta.url).href;
const { describeTrouble } = (await import(MODULE)) as TroubleModule;

test.each([
  [0, 1_000],
  [1, 2_000],
  [4, 16_000],
  [5, 30_000],
  [2_000, 30_000],
])("retry %i comes after %i ms", (attempt, delay) => {
  const { title, ...found } = describeTrouble({ code: "UNAVAILABLE", retryAfter: undefined }, attempt, true);
  expect(title).toBe("The service does not respond");
  expect(found.delay).toBe(delay);
});

test("without a network, the page says so", () => {
  const error = { code: "UNAVAILABLE", retryAfter: undefined };
  expect(describeTrouble(error, 0, false).title).toBe("You are offline");
});

test.each([
  [undefined, "1 second", 1_000],
  [0, "1 second", 1_000],
  [16_001, "17 seconds", 16_001],
  [119_000, "119 seconds", 119_000],
  [120_000, "2 minutes", 120_000],
  [5_400_000, "90 minutes", 3_600_000],
  [86_400_000, "24 hours", 3_600_000],
])("over the limit, the page waits as long as the service says: %s ms", (retryAfter, words, delay) => {
  const found = describeTrouble({ code: "RESOURCE_EXHAUSTED", retryAfter }, 0, true);
  expect(found.title).toBe("Too many requests");
  expect(found.text).toContain(`continues in ${words}.`);
  expect(found.delay).toBe(delay);
});
