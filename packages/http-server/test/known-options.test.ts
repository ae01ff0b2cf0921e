import { expect, test } from "vitest";
import { createHttpServer, UnknownOptionError } from "../src/index.js";
import { knownOptions } from "../src/known-options.js";

const NAMES = { first: true, second: true };

test.each([
  ["First", "; did you mean first?"],
  ["seconds", "; did you mean second?"],
  ["se", ""],
  ["constructor", ""],
])("an unknown name is rejected, also without a value: %s", (name, suggestion) => {
  const run = () =>
    knownOptions("f", { [name]: undefined } as { first?: undefined; second?: undefined }, NAMES);
  expect(run).toThrow(UnknownOptionError);
  expect(run).toThrow(`f has no option "${name}"${suggestion}; allowed: first, second`);
});

test("known options are copied, inherited ones and those of a class included", () => {
  class Options {
    get second() {
      return 2;
    }
  }
  const options = Object.assign(new Options(), { first: undefined });
  expect(knownOptions("f", options, NAMES)).toStrictEqual({ first: undefined, second: 2 });
  expect(knownOptions("f", Object.create({ first: 1 }), NAMES)).toStrictEqual({ first: 1 });
  expect(() => knownOptions("f", Object.create({ third: 1 }), NAMES)).toThrow(UnknownOptionError);
});

test("createHttpServer has no other options than its own", () => {
  const options = { onRequest: () => {}, maxConnection: 1 };
  expect(() => createHttpServer(options as never)).toThrow(
    'createHttpServer has no option "maxConnection"; did you mean maxConnections?',
  );
});
