import comments from "@utility-tools/protos/comments.json" with { type: "json" };
import { commentOn } from "connect-transcoding/openapi";

export { sentenceOf } from "./sentence.js";

/** Returns the schema's comment on a service, method, message, field or enum value. */
export function commentOf(desc: Parameters<typeof commentOn>[0]): string {
  return commentOn(desc, comments);
}

export { fieldLabel, titleOf, valueLabel } from "../../text/labels.js";
