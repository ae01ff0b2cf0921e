import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { FieldViolation } from "../errors/errors.js";
import { abbreviate, MAX_GATHERED } from "../errors/http-error.js";
import { type FieldPlace, placeOf, readField } from "./message-field.js";

/** Finds the required fields that a message and the messages in it do not have. */
export type FindMissing = (message: Message) => readonly FieldViolation[];

/** A field that is required, or whose messages can lack required fields. */
interface Step {
  readonly field: DescField;
  readonly place: FieldPlace;
  readonly isRequired: boolean;
  /** The message type to search; undefined for none. */
  readonly below: DescMessage | undefined;
}

/**
 * Returns the function that finds missing fields of a message: `required` in proto2, LEGACY_REQUIRED in editions. Undefined if neither the
 * type nor the types in it have such fields. Readers of protobuf-es accept messages without them, and its writers do not.
 *
 * @param name the name of a field in the paths of violations
 */
export function missingFields(desc: DescMessage, name: "name" | "jsonName"): FindMissing | undefined {
  const steps = new Map<DescMessage, readonly Step[]>();

  function stepsOf(message: DescMessage): readonly Step[] {
    const known = steps.get(message) ?? message.fields.flatMap(stepOf);
    steps.set(message, known);
    return known;
  }

  function stepOf(field: DescField): Step[] {
    const isRequired = field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED;
    const below = field.message !== undefined && canLackFields(field.message) ? field.message : undefined;
    return isRequired || below !== undefined ? [{ field, place: placeOf(field), isRequired, below }] : [];
  }

  function* pathsIn(message: Message, type: DescMessage): Iterable<string> {
    for (const { field, place, isRequired, below } of stepsOf(type)) {
      const value = readField(place, message);
      if (value === undefined) {
        if (isRequired) {
          yield field[name];
        }
      } else if (below !== undefined) {
        for (const [index, each] of messagesIn(field, value)) {
          for (const path of pathsIn(each, below)) {
            yield `${field[name]}${index}.${path}`;
          }
        }
      }
    }
  }

  return canLackFields(desc)
    ? (message) => {
        const missing: FieldViolation[] = [];
        for (const field of pathsIn(message, desc)) {
          missing.push({ field, reason: "REQUIRED", description: "is required" });
          if (missing.length === MAX_GATHERED) {
            break;
          }
        }
        return missing;
      }
    : undefined;
}

/** Types without required fields, also in the types in them: most of them, and some services have thousands. */
const withoutRequired = new WeakSet<DescMessage>();

/** Whether a message type, or a type in it, has a required field. */
function canLackFields(desc: DescMessage): boolean {
  // A set is iterated in the order of insertion, with what is added meanwhile.
  const types = new Set([desc]);
  for (const { fields } of types) {
    for (const { presence, message } of fields) {
      if (presence === FeatureSet_FieldPresence.LEGACY_REQUIRED) {
        return true;
      }
      if (message !== undefined && !withoutRequired.has(message)) {
        types.add(message);
      }
    }
  }
  for (const type of types) {
    withoutRequired.add(type);
  }
  return false;
}

/** The messages in the value of a field, each with its place in a list or a map. */
function messagesIn({ fieldKind }: DescField, value: unknown): (readonly [place: string, Message])[] {
  switch (fieldKind) {
    case "list":
      return (value as readonly Message[]).map((each, index) => [`[${index}]`, each]);
    case "map":
      return Object.entries(value as Record<string, Message>).map(([key, each]) => [
        `[${abbreviate(key)}]`,
        each,
      ]);
    default:
      return [["", value as Message]];
  }
}
