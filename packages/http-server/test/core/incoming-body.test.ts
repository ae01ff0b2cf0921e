import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { IncomingBody } from "../../src/core/incoming-body.js";

/** An owner that records its calls. */
function createOwner() {
  const notes = { held: 0, acknowledged: 0, aborted: 0 };
  const owner = {
    acknowledge: () => void notes.acknowledged++,
    hold: (bytes: number) => {
      notes.held += bytes;
    },
    abort: () => void notes.aborted++,
  };
  return { notes, body: new IncomingBody(owner) };
}

const bytes = (length: number) => Buffer.alloc(length, 120);

test("holds what nobody reads, and lets the client send no more", () => {
  const { notes, body } = createOwner();
  body.receive(bytes(10));
  body.receive(bytes(20));
  expect(notes).toEqual({ held: 30, acknowledged: 0, aborted: 0 });
  body.destroy();
  expect(notes.held).toBe(0);
});

test("holds a body until the request is over", () => {
  const { notes, body } = createOwner();
  const received: unknown[] = [];
  body.receive(bytes(10));
  body.collect(100, undefined, (whole) => received.push(whole));
  body.receive(bytes(20));
  expect(notes).toEqual({ held: 30, acknowledged: 2, aborted: 0 });
  body.end();
  expect(received).toEqual([bytes(30)]);
  expect(notes.held).toBe(30);
  body.destroy();
  expect(notes.held).toBe(0);
});

test("holds nothing of a rejected body, and aborts it after 1 MiB", () => {
  const { notes, body } = createOwner();
  const received: unknown[] = [];
  body.collect(15, undefined, (whole) => received.push(whole));
  body.receive(bytes(10));
  body.receive(bytes(10));
  expect(received).toEqual(["too large"]);
  expect(notes.held).toBe(0);
  body.receive(bytes(1024 * 1024 - 20));
  expect(notes).toMatchObject({ held: 0, aborted: 0 });
  body.receive(bytes(1));
  expect(notes).toMatchObject({ held: 0, aborted: 1 });
});

test("a stream holds what it has not delivered", async () => {
  const { notes, body } = createOwner();
  const readable = body.toReadable();
  for (let part = 0; part < 10; part++) {
    body.receive(bytes(100_000));
  }
  expect(notes.held).toBe(1_000_000);
  expect(notes.acknowledged).toBe(0);
  let read = 0;
  readable.on("data", (chunk: Buffer) => {
    read += chunk.length;
  });
  await turn();
  expect(read).toBe(1_000_000);
  expect(notes.acknowledged).toBeGreaterThan(0);
  body.receive(bytes(0));
  expect(notes.held).toBe(0);
});

test("a stream has as few chunks as possible if it is read late", async () => {
  const { body } = createOwner();
  const readable = body.toReadable();
  for (let part = 0; part < 1000; part++) {
    body.receive(bytes(1));
  }
  body.end();
  expect((await readable.toArray()).map((chunk) => chunk.length)).toEqual([1000]);
});

test("a stream that is read after the request is over holds nothing", async () => {
  const { notes, body } = createOwner();
  const readable = body.toReadable();
  body.receive(bytes(100_000));
  body.receive(bytes(100_000));
  readable.read(1);
  await turn();
  body.end();
  body.destroy();
  expect(notes.held).toBe(0);
  expect((readable.read(10) as Buffer).length).toBe(10);
  await turn();
  expect(notes.held).toBe(0);
  expect(Buffer.concat(await readable.toArray()).length).toBe(199_989);
  expect(notes.held).toBe(0);
});

test("a stream that nobody listens to may be destroyed", async () => {
  const { body } = createOwner();
  const readable = body.toReadable();
  body.receive(bytes(1));
  body.destroy();
  await turn();
  expect(readable.destroyed).toBe(true);
});
