import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { ByteCollector } from "../../src/core/byte-collector.js";

test("returns what has been added", () => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.uint8Array({ minLength: 1000, maxLength: 40_000 }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 20 }), { maxLength: 3 }), (rounds) => {
      const collector = new ByteCollector();
      for (const parts of rounds) {
        for (const each of parts) {
          collector.add(each);
        }
        const expected = Buffer.concat(parts);
        expect(collector.length).toBe(expected.length);
        expect(collector.take().equals(expected)).toBe(true);
        expect(collector.length).toBe(0);
      }
    }),
  );
});

test("refers to nothing that has been added", () => {
  const collector = new ByteCollector();
  const part = Buffer.from("abc");
  collector.add(part);
  part.fill(0);
  expect(collector.take().toString()).toBe("abc");
});

test("bytes that are added one by one share a few buffers", () => {
  const allocate = vi.spyOn(Buffer, "allocUnsafeSlow");
  const collector = new ByteCollector();
  for (let byte = 0; byte < 65_536; byte++) {
    collector.add(Uint8Array.of(byte));
  }
  // 1, 1, 2, 4 and so on up to 16,384 bytes, and then 16,384 each.
  expect(allocate.mock.calls.length).toBe(18);
  allocate.mockRestore();
  expect(collector.take().equals(Buffer.from(Array.from({ length: 65_536 }, (_, byte) => byte & 255)))).toBe(
    true,
  );
});
