import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { HttpBinding } from "../../routes/rules/http-rule.js";
import { type Comments, commentOn } from "../comments.js";
import type { OpenApiDocument } from "../open-api.js";
import { describedBy } from "../schemas/object-schemas.js";

/** The tags of a binding. */
export type TagsOf = (binding: HttpBinding) => readonly string[];

/** The tags of bindings: those of `methodTags`, or else the name of the service, with its package if two have the same name. */
export function createTags(
  bindings: readonly HttpBinding[],
  comments: Comments,
  methodTags: (method: DescMethod) => readonly string[] | undefined,
): { readonly tags: OpenApiDocument["tags"]; readonly tagsOf: TagsOf } {
  const services = [...new Set(bindings.map(({ method }) => method.parent))];
  const nameOf = (service: DescService): string =>
    services.some((other) => other !== service && other.name === service.name)
      ? service.typeName
      : service.name;
  const tagsOf: TagsOf = ({ method }) => methodTags(method) ?? [nameOf(method.parent)];
  const descriptions = new Map(services.map((each) => [nameOf(each), commentOn(each, comments)]));
  const names = new Set(bindings.flatMap(tagsOf));
  return { tags: [...names].map((name) => ({ name, ...describedBy(descriptions.get(name) ?? "") })), tagsOf };
}
