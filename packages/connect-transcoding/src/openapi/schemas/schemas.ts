import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { FieldBehavior } from "../../../gen/google/api/field_behavior_pb.js";
import type { JsonForm } from "../../codec/json/form.js";
import { NULL_VALUE } from "../../codec/value-parser.js";
import { isRequiredOneof } from "../../proto-options.js";
import { type Comments, commentOn, joinTexts } from "../comments.js";
import { enumForms, fieldNameIn, isDeprecated } from "../documentation.js";
import type { Schema } from "../open-api.js";
import {
  createFactsOf,
  type Direction,
  hasBehavior,
  isAlwaysRequired,
  isIn,
  isRequired,
} from "./google-annotations.js";
import { describedBy, mapSchema, objectSchema, type Property } from "./object-schemas.js";
import { type FieldRules, fieldRulesOf } from "./protovalidate-rules.js";
import { fieldTextOf, messageRulesOf } from "./protovalidate-texts.js";
import { enumSchema, itemLimitsOf, limitsOf, scalarFieldSchema, wellKnownSchema } from "./value-schemas.js";

/** Creates schemas, and collects the named ones as components of the document. */
export interface Schemas {
  /** The form of JSON that the schemas describe. */
  readonly json: JsonForm;
  /** Whether entries of maps can be in a query. */
  readonly mapParameters: boolean;
  /** The schema of a message: a reference to a component, or the schema of a well-known type. */
  ofMessage(desc: DescMessage, direction: Direction): Schema;
  /** The schema of a field, with its documentation. `value` is the schema of its values, by default that of its type. */
  ofField(field: DescField, direction: Direction, value?: Schema): Schema;
  /** The schema of a message in an update, which can omit the fields that are only required by `field_behavior`. */
  ofUpdate(desc: DescMessage): Schema;
  /** A field as a property of the object of its message. */
  propertyOf(field: DescField, direction: Direction): Property;
  /** The schema of the parameters of a request. */
  ofParameters(properties: readonly Property[]): Schema;
  /** Adds a component under a name, or under the name and a number if it is taken. Returns a reference to it. */
  define(name: string, schema: Schema): Schema;
  /** All components so far, sorted by name. */
  components(): Record<string, Schema>;
}

/** Options of {@link createSchemas}. */
export interface SchemaOptions {
  readonly comments: Comments;
  /** How the server treats unknown parameters, and unknown members of JSON objects. */
  readonly unknownParameters: "reject" | "ignore";
  readonly json: JsonForm;
  /** Whether entries of maps can be in a query. Default: false. */
  readonly mapParameters?: boolean;
}

/**
 * Creates the schemas of methods with these inputs and outputs. A schema has the name of its message without the package.
 * A message in both directions has a second schema with the suffix `Input`, because requests accept more than responses
 * contain. If unknown parameters are rejected, the objects of requests have no other properties. Those of responses can
 * have: a later version may add some.
 */
export function createSchemas(
  inputs: readonly DescMessage[],
  outputs: readonly DescMessage[],
  { comments, unknownParameters, json, mapParameters = false }: SchemaOptions,
): Schemas {
  const requested = reachable(inputs);
  const returned = reachable(outputs);
  const shortNames = [...new Set([...requested, ...returned])].map(shortName);
  const components = new Map<string, Schema>();
  const updates = new Map<DescMessage, Schema>();
  const factsOf = createFactsOf([...requested, ...returned]);
  const messageNames = new Set([
    ...[...requested].map((desc) => nameOf(desc, "request")),
    ...[...returned].map((desc) => nameOf(desc, "response")),
  ]);

  function nameOf(desc: DescMessage, direction: Direction): string {
    const short = shortName(desc);
    const isUnique = shortNames.indexOf(short) === shortNames.lastIndexOf(short);
    const isBoth = requested.has(desc) && returned.has(desc);
    return `${isUnique ? short : desc.typeName}${isBoth && direction === "request" ? "Input" : ""}`;
  }

  function isClosed(direction: Direction): boolean {
    return direction === "request" && unknownParameters === "reject";
  }

  function ofMessage(desc: DescMessage, direction: Direction): Schema {
    const wellKnown = wellKnownSchema(desc, json);
    if (wellKnown !== undefined) {
      return wellKnown;
    }
    if (desc.typeName === "google.protobuf.Empty") {
      return { type: "object", ...(isClosed(direction) ? { additionalProperties: false } : {}) };
    }
    const name = nameOf(desc, direction);
    if (!components.has(name)) {
      // Messages can contain themselves, so that the name must exist before the schema.
      components.set(name, {});
      components.set(name, messageSchema(desc, name, direction));
    }
    return referenceTo(name);
  }

  function ofUpdate(desc: DescMessage): Schema {
    const known = updates.get(desc);
    if (known !== undefined) {
      return known;
    }
    const fields = fieldsIn(desc, "request");
    const canOmit = fields.some(
      (field) => isRequired(field, "request", json) && !isAlwaysRequired(field, "request", json),
    );
    const properties = fields.map((field) => ({
      ...propertyOf(field, "request"),
      required: isAlwaysRequired(field, "request", json),
    }));
    const update =
      canOmit && wellKnownSchema(desc, json) === undefined && !desc.oneofs.some(isRequiredOneof)
        ? define(
            `${nameOf(desc, "response")}Update`,
            objectSchema(properties, isClosed("request"), commentOn(desc, comments)),
          )
        : ofMessage(desc, "request");
    updates.set(desc, update);
    return update;
  }

  /** The schema of the object of a message. With a oneof that is always set, there is one for each of its fields. */
  function messageSchema(desc: DescMessage, name: string, direction: Direction): Schema {
    const rules = messageRulesOf(desc, (field) => fieldNameIn(field, json));
    const isRequest = direction === "request";
    const description = joinTexts([commentOn(desc, comments), isRequest ? rules.text : ""], "\n\n");
    const deprecation = isDeprecated(desc) ? { deprecated: true } : {};
    const oneof = desc.oneofs.find(isRequiredOneof);
    if (oneof !== undefined) {
      const alternatives = oneof.fields.map((chosen) => {
        const fields = fieldsIn(desc, direction).filter((field) => field === chosen || field.oneof !== oneof);
        const properties = fields.map((field) => ({
          ...propertyOf(field, direction),
          ...(field === chosen ? { required: true } : {}),
        }));
        const suffix = `${chosen.localName.charAt(0).toUpperCase()}${chosen.localName.slice(1)}`;
        return define(`${name}${suffix}`, objectSchema(properties, isClosed(direction), description));
      });
      return { ...describedBy(description), ...deprecation, oneOf: alternatives };
    }
    const properties = fieldsIn(desc, direction).map((field) => propertyOf(field, direction));
    const map = direction === "response" ? mapSchema(properties, description) : undefined;
    return {
      ...(map ?? objectSchema(properties, isClosed(direction), description)),
      ...(isRequest ? oneAtLeast(rules.alternatives) : {}),
      ...deprecation,
    };
  }

  /** Each list of fields has one that an object has. */
  function oneAtLeast(lists: readonly (readonly DescField[])[]): Schema {
    const [first, ...others] = lists.map((fields) => ({
      anyOf: fields.map((field) => ({ required: [fieldNameIn(field, json)] })),
    }));
    return first === undefined || others.length === 0 ? (first ?? {}) : { allOf: [first, ...others] };
  }

  function ofParameters(properties: readonly Property[]): Schema {
    return objectSchema(properties, isClosed("request"));
  }

  function ofField(field: DescField, direction: Direction, value?: Schema): Schema {
    const rules = direction === "request" ? fieldRulesOf(field, json) : undefined;
    const element = {
      ...(value ?? ofElement(field, direction, rules)),
      ...rules?.element,
      ...limitsOf(field, direction, json),
    };
    const described = {
      ...describedBy(descriptionOf(field, direction)),
      ...(field.deprecated ? { deprecated: true } : {}),
      ...(hasBehavior(field, FieldBehavior.OUTPUT_ONLY) ? { readOnly: true } : {}),
      ...(hasBehavior(field, FieldBehavior.INPUT_ONLY) ? { writeOnly: true } : {}),
    };
    switch (field.fieldKind) {
      case "list":
        return {
          type: "array",
          items: element,
          ...itemLimitsOf(field, direction),
          ...rules?.container,
          ...described,
        };
      case "map":
        return { type: "object", additionalProperties: element, ...rules?.container, ...described };
      default:
        return { ...element, ...described };
    }
  }

  /** The schema of a single value of a field. */
  function ofElement(field: DescField, direction: Direction, rules: FieldRules | undefined): Schema {
    if (field.message !== undefined) {
      return ofMessage(field.message, direction);
    }
    return field.enum !== undefined
      ? enumSchema(field.enum, direction, json, rules?.allowsNumber)
      : scalarFieldSchema(field, json, rules?.finite);
  }

  function descriptionOf(field: DescField, direction: Direction): string {
    const { oneof } = field;
    const others =
      oneof === undefined || isRequiredOneof(oneof) ? [] : oneof.fields.filter((each) => each !== field);
    const alternatives = others.map((each) => `\`${fieldNameIn(each, json)}\``).join(", ");
    const hasNames = field.enum !== undefined && field.enum.typeName !== NULL_VALUE;
    const named = hasNames ? [...enumForms(field.enum, direction, json)] : [];
    const values = named.flatMap(([name, value]) => {
      const known = typeof name === "number" ? `${value.name}.` : "";
      const comment = joinTexts(
        [known, value.deprecated ? "Deprecated." : "", commentOn(value, comments)],
        " ",
      );
      return comment === "" ? [] : [`- \`${name}\`: ${comment}`];
    });
    const excludes = others.length > 0 ? `Excludes ${alternatives}.` : "";
    const rules = direction === "request" ? fieldTextOf(field) : "";
    return joinTexts(
      [commentOn(field, comments), factsOf(field), excludes, rules, values.join("\n")],
      "\n\n",
    );
  }

  function propertyOf(field: DescField, direction: Direction): Property {
    return {
      name: fieldNameIn(field, json),
      required: isRequired(field, direction, json),
      schema: ofField(field, direction),
    };
  }

  function define(name: string, schema: Schema): Schema {
    let free = name;
    for (let number = 2; components.has(free) || messageNames.has(free); number++) {
      free = `${name}${number}`;
    }
    components.set(free, schema);
    return referenceTo(free);
  }

  const sorted = () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...{ json, mapParameters, ofMessage, ofField, ofUpdate, propertyOf, ofParameters, define },
    components: sorted,
  };
}

/** The fields of a message in a direction. */
function fieldsIn({ fields }: DescMessage, direction: Direction): DescField[] {
  return fields.filter((field) => isIn(field, direction));
}

function referenceTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of a message type without its package, for example `Book.Cover` for a nested one. */
function shortName({ typeName, file }: DescMessage): string {
  const { package: packageName } = file.proto;
  return packageName === "" ? typeName : typeName.slice(packageName.length + 1);
}

/** These message types and all types of their fields, at any depth. */
function reachable(descs: readonly DescMessage[]): Set<DescMessage> {
  const found = new Set(descs);
  // The iteration includes elements that are added during it.
  for (const desc of found) {
    for (const { message } of desc.fields) {
      if (message !== undefined) {
        found.add(message);
      }
    }
  }
  return found;
}
