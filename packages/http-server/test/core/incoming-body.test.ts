import { expect, test } from "vitest";
import { IncomingBody } from "../../src/core/incoming-body.js";

/** An owner that records its calls. */
function createOwner() {
  const notes = { held: 0, acknowledged: 0 };
  const owner = {
    acknowledge: () => void notes.acknowledged++,
    hold: (bytes: number) => {
      notes.held += bytes;
    },
  };
  return { notes, body: new IncomingBody(owner) };
}

const bytes = (length: number) => Buffer.alloc(length, 120);

test("holds what nobody reads, and lets the client send no more", () => {
  const { notes, body } = createOwner();
  body.receive(bytes(10));
  body.receive(bytes(20));
  expect(notes).toEqual({ held: 30, acknowledged: 0 });
  body.destroy();
  expect(notes.held).toBe(0);
});

test("holds a body until the request is over", () => {
  const { notes, body } = createOwner();
  const received: unknown[] = [];
  body.receive(bytes(10));
  body.collect(100, undefined, (whole) => received.push(whole));
  body.receive(bytes(20));
  expect(notes).toEqual({ held: 30, acknowledged: 2 });
  body.end();
  expect(received).toEqual([bytes(30)]);
  expect(notes.held).toBe(30);
  body.destroy();
  expect(notes.held).toBe(0);
});

test("holds nothing of a rejected body, and discards 1 MiB of it", () => {
  const { notes, body } = createOwner();
  const received: unknown[] = [];
  body.collect(15, undefined, (whole) => received.push(whole));
  body.receive(bytes(10));
  body.receive(bytes(10));
  expect(received).toEqual(["too large"]);
  expect(notes.held).toBe(0);
  body.receive(bytes(1024 * 1024 - 20));
  const { acknowledged } = notes;
  expect(body.isWanted).toBe(true);
  body.receive(bytes(1));
  expect(notes).toMatchObject({ held: 0, acknowledged });
  expect(body.isWanted).toBe(false);
});

test("read part by part, it holds what has not been taken", () => {
  const { notes, body } = createOwner();
  let changes = 0;
  body.open(() => {
    changes += 1;
  });
  for (let part = 0; part < 10; part++) {
    body.receive(bytes(1000));
  }
  expect(notes.held).toBeGreaterThanOrEqual(10_000);
  expect([changes, notes.acknowledged]).toEqual([10, 1]);
  expect(body.take()).toEqual(bytes(10_000));
  expect(notes).toEqual({ held: 0, acknowledged: 2 });
  expect([body.take(), body.isTaken]).toEqual([undefined, false]);
  body.receive(bytes(1));
  body.end();
  expect([changes, body.isTaken]).toEqual([12, false]);
  expect(body.take()).toEqual(bytes(1));
  expect(body.isTaken).toBe(true);
});

test("read part by part, no more than 64 KiB are wanted before they are taken", () => {
  const { body } = createOwner();
  expect(body.isWanted).toBe(false);
  body.open(() => {});
  body.receive(bytes(65_535));
  expect(body.isWanted).toBe(true);
  body.receive(bytes(1));
  expect(body.isWanted).toBe(false);
  body.take();
  expect(body.isWanted).toBe(true);
});

test("what the handler retains counts until it says otherwise, or until the request is over", () => {
  const { notes, body } = createOwner();
  body.open(() => {});
  body.receive(bytes(100));
  body.take();
  body.retain(100);
  body.receive(bytes(10));
  expect(notes.held).toBe(110);
  body.retain(50);
  expect(notes.held).toBe(60);
  body.destroy();
  expect(notes.held).toBe(0);
  body.retain(100);
  expect(notes.held).toBe(0);
});

test.each([
  ["complete", true, bytes(10)],
  ["incomplete", false, undefined],
])("when the request is over, the rest of a body that is %s is %s", (_state, isEnded, expected) => {
  const { notes, body } = createOwner();
  let changes = 0;
  body.open(() => {
    changes += 1;
  });
  body.receive(bytes(10));
  if (isEnded) {
    body.end();
  }
  const before = changes;
  body.destroy();
  expect(notes.held).toBe(0);
  expect(body.take()).toEqual(expected);
  expect(body.isTaken).toBe(isEnded);
  expect(changes).toBe(before);
});

test("nothing begins when the request is over", () => {
  const { notes, body } = createOwner();
  const calls: string[] = [];
  body.destroy();
  body.open(() => calls.push("open"));
  body.collect(10, undefined, () => calls.push("collect"));
  body.end();
  expect(calls).toEqual([]);
  expect(notes).toEqual({ held: 0, acknowledged: 0 });
});
