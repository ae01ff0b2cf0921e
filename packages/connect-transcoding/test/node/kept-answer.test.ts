import { expect, it } from "vitest";
import { KeptAnswer, messageOf } from "../../src/response/kept-response.js";

it("holds its message, and forms of its own", () => {
  const message = { name: "France" };
  const [one, other] = [new KeptAnswer(message), new KeptAnswer(message)];
  expect(one.message).toBe(message);
  const door = Symbol("door");
  one.forms.set(door, "encoded");
  expect(one.forms.get(door)).toBe("encoded");
  expect(other.forms.size).toBe(0);
});

it("has each form made once, for each maker", () => {
  const answer = new KeptAnswer({ name: "France" });
  const make = ({ name }: { name: string }) => ({ text: `${name}!` });
  const first = answer.form("a", make);
  expect(first).toEqual({ text: "France!" });
  expect(answer.form("a", make)).toBe(first);
  expect(answer.form("b", make)).not.toBe(first);
});

it("has the message that is given once or kept", () => {
  const message = { name: "France" };
  expect(messageOf(message)).toBe(message);
  expect(messageOf(new KeptAnswer(message))).toBe(message);
});
