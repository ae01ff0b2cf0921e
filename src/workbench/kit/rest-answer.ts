import { type DescMessage, type JsonObject, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { RestMethod } from "connect-transcoding/rules";
import { httpBodyReader, responseBodyOf } from "connect-transcoding/rules";
import { bindingOf } from "../snippet/http-request.js";

/** An answer as plain HTTP has it: JSON text, or octets of some type. */
export type RestAnswer =
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "octets"; readonly contentType: string; readonly data: Uint8Array };

/** The answer of a method as plain HTTP has it. JSON is indented, and has the fields with their default value in it. */
export function restAnswer<Desc extends DescMessage>(
  method: RestMethod & { readonly output: Desc },
  message: MessageShape<Desc>,
): RestAnswer {
  const { kind, field } = responseBodyOf(bindingOf(method));
  if (kind === "bytes") {
    return { kind: "octets", ...httpBodyReader(field)(message) };
  }
  const json = toJson(method.output, message, { alwaysEmitImplicit: true }) as JsonObject;
  const body = field === undefined ? json : json[field.jsonName];
  return { kind: "json", text: JSON.stringify(body, null, 2) };
}
