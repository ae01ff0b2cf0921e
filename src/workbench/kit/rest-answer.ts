import { type DescMessage, type JsonObject, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { HttpBody } from "../../../gen/google/api/httpbody_pb.js";
import { type HttpMethodDesc, isHttpBody } from "../../transcoding/http-rule.js";
import { bindingOf } from "../snippet/http-request.js";

/** An answer as plain HTTP has it: JSON text, or octets of some type. */
export type RestAnswer =
  | { readonly kind: "json"; readonly text: string }
  | { readonly kind: "octets"; readonly contentType: string; readonly data: Uint8Array };

/** The answer of a method as plain HTTP has it. JSON is indented, and has the fields with their default value in it. */
export function restAnswer<Desc extends DescMessage>(
  method: HttpMethodDesc & { readonly output: Desc },
  message: MessageShape<Desc>,
): RestAnswer {
  const { responseBody } = bindingOf(method);
  if (isHttpBody(responseBody?.message ?? method.output)) {
    const held: unknown = responseBody === undefined ? message : Reflect.get(message, responseBody.localName);
    // The field's type is HttpBody, as has just been asked.
    const { contentType, data } = held as HttpBody;
    return { kind: "octets", contentType, data };
  }
  const json = toJson(method.output, message, { alwaysEmitImplicit: true }) as JsonObject;
  const body = responseBody === undefined ? json : json[responseBody.jsonName];
  return { kind: "json", text: JSON.stringify(body, null, 2) };
}
