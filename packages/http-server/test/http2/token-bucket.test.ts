import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TokenBucket } from "../../src/http2/token-bucket.js";

let now = 0;
beforeEach(() => {
  now = 5000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** How many tokens can be taken. */
function drain(bucket: TokenBucket): number {
  let taken = 0;
  while (taken < 1000 && bucket.take()) {
    taken++;
  }
  return taken;
}

test("has its capacity at first", () => {
  expect(drain(new TokenBucket(7, 10))).toBe(7);
});

test("fills at its rate, up to its capacity", () => {
  const bucket = new TokenBucket(7, 10);
  drain(bucket);
  // The token that was refused is owed.
  now += 300;
  expect(drain(bucket)).toBe(2);
  now += 60_000;
  // The first token is taken before the bucket is filled.
  expect(drain(bucket)).toBe(8);
});

test("fills from its creation on, as the clock is read only when it is empty", () => {
  const bucket = new TokenBucket(7, 10);
  now += 300;
  expect(drain(bucket)).toBe(10);
});

test("takes back tokens up to its capacity", () => {
  const bucket = new TokenBucket(3, 10);
  bucket.add(5);
  expect(drain(bucket)).toBe(3);
  bucket.add(3);
  expect(drain(bucket)).toBe(2);
});

test("stays empty while more is taken than it fills", () => {
  const bucket = new TokenBucket(3, 10);
  drain(bucket);
  for (let count = 0; count < 10; count++) {
    now += 50;
    expect(bucket.take()).toBe(false);
  }
});
