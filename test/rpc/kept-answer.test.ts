import { expect, it } from "vitest";
import { KeptAnswer } from "../../src/rpc/kept-answer.js";

it("holds its message, and forms of its own", () => {
  const message = { name: "France" };
  const [one, other] = [new KeptAnswer(message), new KeptAnswer(message)];
  expect(one.message).toBe(message);
  const door = Symbol("door");
  one.forms.set(door, "encoded");
  expect(one.forms.get(door)).toBe("encoded");
  expect(other.forms.size).toBe(0);
});
