import { expect, test } from "vitest";
import { unwrap } from "./handlers.js";

const message = { ip: "8.8.8.8" };

test.each([
  ["a message", message],
  ["an answer that is kept in several forms", { message, forms: new Map() }],
])("%s is unwrapped to the message", (_, answer) => {
  expect(unwrap(answer)).toBe(message);
});
