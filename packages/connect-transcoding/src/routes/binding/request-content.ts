import { hasOwnForm } from "../../codec/value-parser.js";
import type { BodyRule } from "../rules/body-rule.js";
import type { ContentHeaders } from "./request-parameters.js";

/** How to read requests whose body or content type is not that of their rule. */
export interface BodyLeniency {
  readonly unknownParameters: "reject" | "ignore";
  readonly unexpectedBodies?: "reject" | "ignore" | undefined;
  readonly untypedBodies?: "reject" | "json" | undefined;
}

/** Returns the function that changes the content of a request to what its rule demands, as far as the options allow. */
export function contentReader<T extends ContentHeaders & { readonly body?: Uint8Array }>(
  rule: BodyRule,
  { unknownParameters, unexpectedBodies, untypedBodies }: BodyLeniency,
): (content: T) => T {
  if (rule.kind === "none" && unexpectedBodies === "ignore") {
    return (content) => ({ ...content, body: NO_BYTES });
  }
  const isJson = untypedBodies === "json" && rule.kind !== "none" && !rule.raw;
  const takesEmptyText = unknownParameters === "ignore" && canBeEmptyText(rule);
  return (given) => {
    const content = takesEmptyText ? withoutEmptyText(given) : given;
    return isJson && (content.contentType ?? "") === ""
      ? { ...content, contentType: "application/json" }
      : content;
  };
}

const NO_BYTES = new Uint8Array();

/**
 * Whether the JSON text `""` counts as no body: for methods without one, and for messages that are JSON objects. Google's
 * REST clients for JavaScript send it instead of an empty message.
 */
function canBeEmptyText(body: BodyRule): boolean {
  return (
    body.kind === "none" ||
    (body.kind === "field" &&
      body.field.fieldKind === "message" &&
      !body.raw &&
      !hasOwnForm(body.field.message))
  );
}

/** Returns the content without a body that is the JSON text `""`. */
function withoutEmptyText<T extends { readonly body?: Uint8Array }>(content: T): T {
  const { body } = content;
  const isEmptyText = body?.length === 2 && body[0] === QUOTE && body[1] === QUOTE;
  return isEmptyText ? { ...content, body: body.subarray(2) } : content;
}

const QUOTE = 0x22;
