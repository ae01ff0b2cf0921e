import comments from "@utility-tools/protos/comments.json" with { type: "json" };
import { commentOn } from "connect-transcoding/openapi";

/** What the schema says of a service, a method, a message, a field or a value. */
export function commentOf(desc: Parameters<typeof commentOn>[0]): string {
  return commentOn(desc, comments);
}
