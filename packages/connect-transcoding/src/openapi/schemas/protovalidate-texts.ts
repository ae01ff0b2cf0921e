import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isRequiredOneof } from "../../proto-options.js";
import {
  type Members,
  messagesIn,
  NO_MEMBERS,
  numberIn,
  textsIn,
  validateOption,
} from "./protovalidate-option.js";

// Of buf.validate.FieldRules.
const FIELD_CEL = 23;
const FIELD_EXPRESSION = 29;
const IGNORE = 27;
const IGNORE_ALWAYS = 3;
// Of buf.validate.MessageRules.
const MESSAGE_CEL = 3;
const MESSAGE_ONEOF = 4;
const MESSAGE_EXPRESSION = 5;

/** The rules of protovalidate for a message of a request. */
export interface MessageRules {
  /** What JSON Schema has no keywords for, as sentences; empty if there is nothing. */
  readonly text: string;
  /** Lists of fields of which a request has one at least. */
  readonly alternatives: readonly (readonly DescField[])[];
}

/** The CEL rules of a field, as sentences; empty without any. */
export function fieldTextOf(field: DescField): string {
  const rules = validateOption(field) ?? NO_MEMBERS;
  return numberIn(rules, IGNORE, "int32") === IGNORE_ALWAYS
    ? ""
    : expressionTexts(rules, FIELD_CEL, FIELD_EXPRESSION).join("\n\n");
}

/** Reads the rules of a message and of its oneofs. `nameOf` returns the name of a field in the document. */
export function messageRulesOf(desc: DescMessage, nameOf: (field: DescField) => string): MessageRules {
  const rules = validateOption(desc) ?? NO_MEMBERS;
  const choices = messagesIn(rules, MESSAGE_ONEOF).map((choice) => ({
    fields: textsIn(choice, 1).flatMap((name) => desc.fields.find((field) => field.name === name) ?? []),
    isRequired: numberIn(choice, 2, "int32") === 1,
  }));
  const exclusive = choices.map(
    ({ fields }) => `At most one of ${fields.map((field) => `\`${nameOf(field)}\``).join(", ")} is set.`,
  );
  const oneofs = desc.oneofs.filter(
    // Those of http_oneof_required are alternatives already.
    (oneof) => numberIn(validateOption(oneof) ?? NO_MEMBERS, 1, "int32") === 1 && !isRequiredOneof(oneof),
  );
  return {
    text: [...exclusive, ...expressionTexts(rules, MESSAGE_CEL, MESSAGE_EXPRESSION)].join("\n\n"),
    alternatives: [
      ...oneofs.map(({ fields }) => fields),
      ...choices.flatMap(({ fields, isRequired }) => (isRequired ? [fields] : [])),
    ],
  };
}

/** The message of each rule, or else its expression. */
function expressionTexts(rules: Members, cel: number, expression: number): string[] {
  const quoted = (text: string) => `Must hold: \`${text}\`.`;
  const named = messagesIn(rules, cel).flatMap((rule) => {
    const [message = ""] = textsIn(rule, 2);
    return message === "" ? textsIn(rule, 3).map(quoted) : [sentence(message)];
  });
  return [...named, ...textsIn(rules, expression).map(quoted)];
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
