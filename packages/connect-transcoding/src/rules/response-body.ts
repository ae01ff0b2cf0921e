import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.js";
import { type MessageInit, placeOf, readField } from "../codec/message-field.js";
import type { HttpBinding } from "./http-rule.js";

/** What the body of an answer is made of. Where no field is named, it is the whole message. */
export type AnswerBody =
  /** A string field, as plain text. */
  | { readonly kind: "text"; readonly field: DescField }
  /** What a `google.api.HttpBody` holds. */
  | { readonly kind: "octets"; readonly field: DescField | undefined }
  /** ProtoJSON; of a stream, a line of it for each message. */
  | { readonly kind: "json"; readonly field: DescField | undefined };

/**
 * What the answers of a binding are made of. `textField` is what the representation that was chosen names as the whole
 * answer; without it, or empty, the answer is the message or its `response_body`.
 */
export function answerBodyOf(
  { method: { output }, responseBody }: Pick<HttpBinding, "method" | "responseBody">,
  textField?: string,
): AnswerBody {
  const text = output.fields.find(({ name }) => name === textField);
  if (text !== undefined) {
    return { kind: "text", field: text };
  }
  const isOctets =
    responseBody === undefined
      ? isHttpBody(output)
      : responseBody.fieldKind === "message" && isHttpBody(responseBody.message);
  return { kind: isOctets ? "octets" : "json", field: responseBody };
}

/** Makes what reads the string field that is a whole answer; empty where the message does not have it. */
export function answerTextReader(field: DescField): (message: MessageInit) => string {
  const place = placeOf(field);
  return (message) => String(readField(place, message) ?? "");
}

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
