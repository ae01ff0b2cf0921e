import { createAsyncIterable } from "@connectrpc/connect/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { oneMessageAtATime } from "../../src/protocols/envelope.js";

/** A message with its prefix. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
function message(length: number, fill = 7): Buffer {
  const bytes = Buffer.alloc(5 + length, fill);
  bytes[0] = 0;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

async function split(chunks: readonly Uint8Array[], contentType = "application/grpc"): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of oneMessageAtATime(createAsyncIterable([...chunks]), contentType)) {
    pieces.push(Buffer.from(piece));
  }
  return pieces;
}

/** The number of messages that end in a piece, for pieces of consecutive messages. */
function ends(pieces: readonly Uint8Array[], lengths: readonly number[]): number[] {
  const positions = lengths.map((_, index) =>
    lengths.slice(0, index + 1).reduce((sum, length) => sum + 5 + length, 0),
  );
  let start = 0;
  return pieces.map(({ length }) => {
    const end = start + length;
    const count = positions.filter((position) => position > start && position <= end).length;
    start = end;
    return count;
  });
}

describe("oneMessageAtATime", () => {
  test.each([
    "application/grpc",
    "application/grpc+proto",
    "Application/gRPC-Web+proto",
    "application/connect+json",
  ])("splits %s", async (contentType) => {
    const body = [Buffer.concat([message(0), message(3), message(0)])];
    expect(await split(body, contentType)).toEqual([message(0), message(3), message(0)]);
  });

  test.each(["application/json", "application/proto", ""])("keeps the chunks of %j", async (contentType) => {
    const body = [Buffer.concat([message(0), message(3)]), message(1)];
    expect(await split(body, contentType)).toEqual(body);
  });

  test("keeps a message of several chunks in these chunks", async () => {
    const bytes = Buffer.concat([message(70_000), message(1)]);
    const chunks = [bytes.subarray(0, 3), bytes.subarray(3, 65_536), bytes.subarray(65_536)];
    const pieces = [...chunks.slice(0, 2), bytes.subarray(65_536, 70_005), message(1)];
    expect(await split(chunks)).toEqual(pieces);
  });

  test("keeps an incomplete message, and one with the largest length", async () => {
    const longest = Buffer.from([0, 255, 255, 255, 255, 1]);
    expect(await split([Buffer.concat([message(2), longest])])).toEqual([message(2), longest]);
    expect(await split([message(2).subarray(0, 4)])).toEqual([message(2).subarray(0, 4)]);
  });

  test("keeps all bytes, and completes one message in a piece at most, wherever bodies are cut", async () => {
    const lengths = fc.array(fc.oneof(fc.nat(3), fc.nat(600)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.array(fc.nat()), async (messages, cuts) => {
        const body = Buffer.concat(messages.map((length, index) => message(length, index)));
        const at = cuts.map((cut) => cut % (body.length + 1)).sort((one, other) => one - other);
        const chunks = [...at, body.length].map((end, index) => body.subarray(at[index - 1] ?? 0, end));
        const pieces = await split(chunks);
        expect(Buffer.concat(pieces)).toEqual(body);
        expect(Math.max(0, ...ends(pieces, messages))).toBeLessThanOrEqual(1);
      }),
    );
  });
});
