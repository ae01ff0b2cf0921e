import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import { type MessageInit, placeOf, readField } from "./message-field.js";

/** What a `google.api.HttpBody` holds. */
export interface HttpBodyContent {
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** Whether a message type is `google.api.HttpBody`. */
export function isHttpBody(desc: DescMessage | undefined): boolean {
  return desc?.typeName === HttpBodySchema.typeName;
}

/**
 * Makes what reads the `google.api.HttpBody` that a field holds, or, without a field, that a message itself is. What is not
 * there is empty.
 */
export function httpBodyReader(field: DescField | undefined): (message: MessageInit) => HttpBodyContent {
  const place = field && placeOf(field);
  return (message) => {
    const body = place === undefined ? message : readField(place, message);
    const { contentType, data } = (body ?? {}) as Partial<HttpBodyContent>;
    return { contentType: contentType ?? "", data: data ?? NO_OCTETS };
  };
}

const NO_OCTETS = new Uint8Array();
