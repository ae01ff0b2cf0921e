import { isUtf8 } from "node:buffer";
import { EXIT } from "../../failures/exit-status.js";
import { decodeWindows1252 } from "../../text/encoding.js";
import { StreamError } from "../stream-error.js";
import { encodingOf } from "./decode.js";
import type { InputStream } from "./streams.js";

/** The default limit of an input that is read as one text, in bytes: more than a QR code or a secret has. */
const MAX_TEXT = 64 * 1024;

/**
 * Reads an input as one text, without a byte order mark and the final line break. Throws a {@link StreamError} if it has more than
 * `maxBytes`, or is no text.
 */
export async function readWholeInput({ chunks }: InputStream, maxBytes = MAX_TEXT): Promise<string> {
  const read: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    length += chunk.length;
    if (length > maxBytes) {
      throw new StreamError(`the input has more than ${maxBytes} bytes`, EXIT.invalidInput);
    }
  }
  const bytes = Buffer.concat(read);
  const { name } = encodingOf(bytes);
  if (name === "utf-8" && !isUtf8(bytes)) {
    throw new StreamError("the input is not UTF-8", EXIT.invalidInput);
  }
  const text = name === "windows-1252" ? decodeWindows1252(bytes) : new TextDecoder(name).decode(bytes);
  return text.replace(/\r?\n$/, "");
}
