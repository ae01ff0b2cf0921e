import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputBuffer } from "../../src/http2/output-buffer.js";

/** An owner that notes the parts of a buffer that it would write. The parts are not copied, like those of a socket. */
function createOwner(output: OutputBuffer) {
  const owner = {
    parts: [] as Buffer[],
    flush() {
      const bytes = output.take(owner);
      if (bytes !== undefined) {
        owner.parts.push(bytes);
      }
    },
    write(bytes: Uint8Array) {
      output.reserve(owner, bytes.length);
      output.bytes.set(bytes, output.end);
      output.end += bytes.length;
    },
    text: () => Buffer.concat(owner.parts).toString("latin1"),
  };
  return owner;
}

test("keeps the output of each owner apart and in order", () => {
  const step = fc.record({
    owner: fc.integer({ min: 0, max: 2 }),
    length: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 10_000, max: 200_000 })),
    flush: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const output = new OutputBuffer();
      const owners = [0, 1, 2].map(() => createOwner(output));
      const expected = ["", "", ""];
      for (const [index, { owner, length, flush }] of steps.entries()) {
        const bytes = Buffer.alloc(length, index + 1);
        owners[owner]?.write(bytes);
        expected[owner] += bytes.toString("latin1");
        if (flush) {
          owners[owner]?.flush();
        }
      }
      for (const owner of owners) {
        owner.flush();
      }
      expect(owners.map(({ text }) => text())).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test("collects the output of one owner in one part", () => {
  const output = new OutputBuffer();
  const owner = createOwner(output);
  owner.write(Buffer.from("a"));
  owner.write(Buffer.from("b"));
  owner.flush();
  owner.flush();
  expect(owner.parts.map(String)).toEqual(["ab"]);
});

test("writes the output of one owner before that of another", () => {
  const output = new OutputBuffer();
  const [one, other] = [createOwner(output), createOwner(output)];
  one.write(Buffer.from("one"));
  other.write(Buffer.from("other"));
  expect([one.text(), other.text()]).toEqual(["one", ""]);
});

test("reserving without writing is no output", () => {
  const output = new OutputBuffer();
  const owner = createOwner(output);
  output.reserve(owner, 100);
  owner.flush();
  expect(owner.parts).toEqual([]);
});

test("never writes to bytes that have been taken", () => {
  const output = new OutputBuffer();
  const owner = createOwner(output);
  for (let index = 0; index < 100; index++) {
    owner.write(Buffer.alloc(1000, index));
    owner.flush();
  }
  expect(owner.parts.map((part) => part.every((byte) => byte === part[0]) && part[0])).toEqual(
    Array.from({ length: 100 }, (_, index) => index),
  );
});
