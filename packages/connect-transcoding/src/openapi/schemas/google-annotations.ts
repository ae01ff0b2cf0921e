import { type DescField, type DescFile, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { FieldBehavior, field_behavior } from "../../../gen/google/api/field_behavior_pb.js";
import {
  type ResourceDescriptor,
  resource,
  resource_definition,
  resource_reference,
} from "../../../gen/google/api/resource_pb.js";
import type { JsonForm } from "../../codec/json/form.js";
import { fieldDocsOf } from "../../proto-options.js";
import { joinTexts } from "../comments.js";
import { fieldRulesOf } from "./protovalidate-rules.js";

// Reads google.api.field_behavior (https://google.aip.dev/203), google.api.resource (https://google.aip.dev/123) and
// google.api.resource_reference (https://google.aip.dev/124).

/** The direction of a message, because the JSON of requests and responses differs. */
export type Direction = "request" | "response";

/** Whether a field has a `google.api.field_behavior`. */
export function hasBehavior(field: DescField, behavior: FieldBehavior): boolean {
  return hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);
}

/** Whether requests or responses have a field: `OUTPUT_ONLY` fields are not in requests, `INPUT_ONLY` fields not in responses. */
export function isIn(field: DescField, direction: Direction): boolean {
  return !hasBehavior(field, direction === "request" ? FieldBehavior.OUTPUT_ONLY : FieldBehavior.INPUT_ONLY);
}

/**
 * Whether a field must be present in requests, or always is in responses of a form of JSON. `REQUIRED` is a rule for requests alone.
 */
export function isRequired(field: DescField, direction: Direction, json: JsonForm): boolean {
  const isImplicit = field.presence === FeatureSet_FieldPresence.IMPLICIT;
  if (direction === "response" && isImplicit) {
    return json.defaults !== "omit";
  }
  return (
    isAlwaysRequired(field, direction, json) ||
    (direction === "request" && hasBehavior(field, FieldBehavior.REQUIRED))
  );
}

/** Whether a field must be present in all requests, also in updates, or always is in responses. */
export function isAlwaysRequired(field: DescField, direction: Direction, json: JsonForm): boolean {
  return fieldDocsOf(field).required || (direction === "request" && fieldRulesOf(field, json).required);
}

/** Returns the annotations of a field in sentences; empty without any. */
export type FactsOf = (field: DescField) => string;

/**
 * Creates a function that describes the fields of these messages. The patterns of resource names are those of the messages, and of
 * their files with all imports.
 */
export function createFactsOf(messages: Iterable<DescMessage>): FactsOf {
  const patterns = new Map<string, string>();
  const files = new Set<DescFile>();
  for (const message of messages) {
    files.add(message.file);
    const own = resourceOf(message);
    if (own !== undefined) {
      patterns.set(own.type, patternsOf(own));
    }
  }
  // The iteration includes elements that are added during it.
  for (const file of files) {
    for (const imported of file.dependencies) {
      files.add(imported);
    }
    const definitions = hasOption(file, resource_definition) ? getOption(file, resource_definition) : [];
    for (const definition of definitions) {
      patterns.set(definition.type, patternsOf(definition));
    }
  }

  function resourceText(field: DescField): string {
    const own = resourceOf(field.parent);
    if (own !== undefined && field.name === (own.nameField || "name")) {
      return `The name of the resource${patternsOf(own)}.`;
    }
    const { type, childType } = hasOption(field, resource_reference)
      ? getOption(field, resource_reference)
      : { type: "", childType: "" };
    if (type !== "" && type !== "*") {
      return `The name of a resource of the type \`${type}\`${patterns.get(type) ?? ""}.`;
    }
    return childType === "" || childType === "*"
      ? ""
      : `The name of the parent of a resource of the type \`${childType}\`${patterns.get(childType) ?? ""}.`;
  }

  return (field) => {
    const behaviors = BEHAVIORS.flatMap(([behavior, text]) => (hasBehavior(field, behavior) ? [text] : []));
    return joinTexts([resourceText(field), ...behaviors], " ");
  };
}

/** The behaviors that OpenAPI has no keyword for. */
const BEHAVIORS: readonly (readonly [FieldBehavior, string])[] = [
  [FieldBehavior.IDENTIFIER, "Not needed to create the resource."],
  [FieldBehavior.IMMUTABLE, "Cannot be changed after it is set."],
  [FieldBehavior.UNORDERED_LIST, "The elements have no particular order."],
  [FieldBehavior.NON_EMPTY_DEFAULT, "If it is absent or empty, the server sets a value."],
];

function resourceOf(message: DescMessage): ResourceDescriptor | undefined {
  return hasOption(message, resource) ? getOption(message, resource) : undefined;
}

/** The patterns of the names of a resource, after a colon; empty without any. */
function patternsOf({ pattern }: ResourceDescriptor): string {
  const known = pattern.filter((each) => each !== "*").map((each) => `\`${each}\``);
  return known.length === 0 ? "" : `: ${known.join(" or ")}`;
}
