import { expect, test } from "vitest";
import { readWholeInput } from "../../../src/cli/input/whole-input.js";
import { EXIT } from "../../../src/failures/exit-status.js";

async function read(bytes: Uint8Array, maxBytes?: number): Promise<unknown> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 3) {
      yield Buffer.from(bytes.subarray(at, at + 3));
    }
  }
  try {
    return await readWholeInput({ isTerminal: false, size: undefined, chunks: chunks() }, maxBytes);
  } catch (thrown) {
    return thrown;
  }
}

test.each<[string, Buffer, string]>([
  ["no bytes", Buffer.from(""), ""],
  ["lines", Buffer.from("a\r\nb\rc\n\n"), "a\r\nb\rc\n"],
  ["UTF-8 with a mark", Buffer.from("\ufeffZoë\r\n"), "Zoë"],
  ["UTF-16", Buffer.from("\ufeffZoë\n", "utf16le"), "Zoë"],
  ["UTF-16, big-endian", Buffer.from("\ufeffZoë\n", "utf16le").swap16(), "Zoë"],
  ["Windows-1252", Buffer.from("Zo\xeb, 5 \x80\n", "latin1"), "Zoë, 5 €"],
])("%s are read as one text", async (_, bytes, text) => {
  expect(await read(bytes)).toBe(text);
});

test.each<[string, Buffer, string, number]>([
  [
    "other bytes",
    Buffer.from("Zo\xeb ë ë ë", "latin1").fill("ë", 4, 8),
    "the input is not UTF-8",
    EXIT.invalidInput,
  ],
  [
    "gzip",
    Buffer.from([0x1f, 0x8b, 8, 0]),
    "the input is compressed (gzip): decompress it with gunzip -c",
    EXIT.io,
  ],
  ["more bytes", Buffer.from("0123456789a"), "the input has more than 10 bytes", EXIT.invalidInput],
])("%s are an error", async (_, bytes, message, status) => {
  expect(await read(bytes, 10)).toMatchObject({ message, status });
});
