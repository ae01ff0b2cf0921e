import comments from "../../../gen/comments.json" with { type: "json" };
import { commentOn } from "../../openapi/comments.js";

/** What the schema says of a service, a method, a message, a field or a value. */
export function commentOf(desc: Parameters<typeof commentOn>[0]): string {
  return commentOn(desc, comments);
}
