import type { DescField } from "@bufbuild/protobuf";
import { isHttpBody } from "./http-body.js";
import type { HttpBinding } from "./http-rule.js";
import { type MessageInit, placeOf, readField } from "./message-field.js";

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
