import { createHash } from "node:crypto";
import { clone, create, createRegistry, type Message, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  file_library_v1_library,
  type Specimen,
  SpecimenSchema,
} from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import { anyMessage } from "../../../packages/connect-transcoding/test/support/arbitrary-message.js";
import type { Random } from "../../lib/random.js";

/** The types of all messages. */
export const REGISTRY = createRegistry(file_library_v1_library);

/** A message by its index in a fixed list, with `bytes_value` and `string_value` of a length. */
export interface MessageReference {
  readonly index: number;
  readonly size: number;
}

const COUNT = 400;

const MESSAGES = fc.sample(
  anyMessage(SpecimenSchema, () => true),
  { seed: 1, numRuns: COUNT },
) as Specimen[];

/** Returns a reference: usually to a small message, and sometimes to one that is sent in many parts. */
export function anyReference(random: Random): MessageReference {
  const size = random.oneIn(5) ? random.pick([10, 500, 1024, 1025, 4000]) : random.oneIn(60) ? 70_000 : 0;
  return { index: random.oneIn(6) ? COUNT : random.below(COUNT), size };
}

/** The message of a reference. Shared messages are copied. The last index is the empty message. */
export function messageOf({ index, size }: MessageReference): Specimen {
  const message =
    MESSAGES[index] === undefined ? create(SpecimenSchema) : clone(SpecimenSchema, MESSAGES[index]);
  if (size > 0) {
    message.stringValue = "size ".repeat(size / 5);
    message.bytesValue = Uint8Array.from({ length: size }, (_, at) => (at * 7919) >> 3);
  }
  return message;
}

/** A message in a form that can be compared. */
export function describeMessage(message: Message): string {
  const bytes = toBinary(SpecimenSchema, message as Specimen);
  return bytes.length <= 150
    ? Buffer.from(bytes).toString("base64")
    : `${bytes.length} bytes, ${createHash("sha1").update(bytes).digest("base64")}`;
}
