import {
  create,
  type DescField,
  type DescMessage,
  isFieldSet,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import fc from "fast-check";
import type { HttpBinding, HttpBodyContent } from "../../src/routes/rules/http-rule.js";
import { anyMessage, anyText } from "../support/messages/arbitrary-message.js";
import type { Choose } from "../support/messages/choices.js";
import { writeFieldJson, writeJson } from "../support/messages/json-encoder.js";
import { dropEmpty, fitsQuery, writeQuery, writeSegment } from "../support/messages/query-encoder.js";
import { heldBy, writeText } from "../support/messages/text-encoder.js";

/** A request, and the message that it must become. */
export interface AnyRequest {
  readonly path: string;
  readonly query: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  readonly message: Message;
}

/** Limits of what requests have. */
interface RequestLimits {
  /** The depth of nested messages. */
  readonly depth?: number;
  /** How many segments `**` matches at least. Without any, a more specific template can match. */
  readonly minSegments?: number;
}

/** Any request of a binding. `choose` selects one of several encodings. */
export function anyRequest(
  binding: HttpBinding,
  choose: Choose,
  { depth, minSegments = 0 }: RequestLimits = {},
): fc.Arbitrary<AnyRequest> {
  const { input } = binding.method;
  const { body } = binding;
  const paths = binding.template.variables.map(({ fieldPath }) => pathOf(input, fieldPath));
  const taken = new Set(
    paths.flatMap((path) => path.flatMap(withRivals)).filter((each) => !isHolder(each, paths)),
  );
  const isFree = (field: DescField) => !taken.has(field);
  const bodyField = body.kind === "field" ? body.field : undefined;
  const besides = new Set(bodyField === undefined ? [] : withRivals(bodyField));
  const inQuery =
    body.kind === "none" || body.kind === "field"
      ? anyMessage(input, (field) => isFree(field) && fitsQuery(field) && !besides.has(field), depth)
      : fc.constant(create(input));
  const isBody = (field: DescField) =>
    bodyField === undefined || field.parent !== input || field === bodyField;
  const inBody =
    body.kind === "none"
      ? fc.constant(create(input))
      : body.raw
        ? anyRawBody(input, bodyField)
        : anyMessage(input, (field) => isFree(field) && isBody(field), depth);
  const captured = fc.tuple(
    ...binding.template.variables.map((_, index) => anyCapture(binding, index, paths[index], minSegments)),
  );
  return fc.record({ inQuery, inBody, captured }).map(({ inQuery, inBody, captured }) => {
    const query = writeQuery(input, dropEmpty(input, inQuery), choose);
    const { contentType, text } = writeBody(binding, inBody, choose);
    const message = body.kind === "none" ? inQuery : inBody;
    if (bodyField !== undefined) {
      copyFields(input, inQuery, message);
    }
    const values = captured.map((capture) => capture(message, choose));
    return {
      path: writePath(binding, values, choose),
      query,
      contentType,
      body: typeof text === "string" ? new TextEncoder().encode(text) : text,
      message,
    };
  });
}

const anyContentType = fc.oneof(
  fc.constantFrom("image/png", "application/json"),
  fc.stringMatching(/^[a-z]{1,8}\/[a-z+]{1,8}(; [a-z]{1,4}="[a-z ]{0,4}")?$/),
);

/** Any message whose body, a field or the whole, is a `google.api.HttpBody`. */
function anyRawBody(input: DescMessage, field: DescField | undefined): fc.Arbitrary<Message> {
  const content = fc.record({ contentType: anyContentType, data: fc.uint8Array() });
  return content.map((httpBody) => {
    if (field?.message === undefined) {
      return create(input, httpBody);
    }
    const message = create(input);
    const value = create(field.message, httpBody);
    reflect(input, message, false).set(field, reflect(field.message, value, false));
    return message;
  });
}

function pathOf(message: DescMessage, fieldPath: string): DescField[] {
  const fields: DescField[] = [];
  let parent: DescMessage | undefined = message;
  for (const name of fieldPath.split(".")) {
    const field: DescField | undefined = parent?.fields.find((each) => each.name === name);
    if (field === undefined) {
      throw new Error(`${message.typeName} has no field ${fieldPath}`);
    }
    fields.push(field);
    parent = field.message;
  }
  return fields;
}

/** A field, and the others of its oneof. */
function withRivals(field: DescField): readonly DescField[] {
  return field.oneof?.fields ?? [field];
}

/** Whether a field is a message around the last field of a path. */
function isHolder(field: DescField, paths: readonly (readonly DescField[])[]): boolean {
  return paths.some((path) => path.slice(0, -1).includes(field));
}

function copyFields(desc: DescMessage, from: Message, to: Message): void {
  for (const field of desc.fields.filter((each) => isFieldSet(from, each))) {
    const [source, target] = [reflect(desc, from, false), reflect(desc, to, false)];
    if (field.fieldKind === "list") {
      for (const item of source.get(field)) {
        target.get(field).add(item);
      }
    } else if (field.fieldKind !== "map") {
      target.set(field, source.get(field));
    }
  }
}

/** Sets the field of a variable in a message, and returns the segments that bind it, as in the path. */
type Capture = (message: Message, choose: Choose) => readonly string[];

function anyCapture(
  { template }: HttpBinding,
  index: number,
  path: readonly DescField[] = [],
  minSegments: number,
): fc.Arbitrary<Capture> {
  const variable = template.variables[index];
  const leaf = path.at(-1);
  if (variable === undefined || leaf === undefined) {
    throw new Error(`${template.source} has no variable ${index}`);
  }
  if (leaf.scalar !== ScalarType.STRING) {
    // A segment is not empty.
    const isWritten = (holder: Message) =>
      leaf.scalar !== ScalarType.BYTES || String(heldBy(holder, leaf)) !== "";
    const holders = anyMessage(leaf.parent, (field) => field === leaf, 0).filter(isWritten);
    return holders.map((holder) => (message, choose) => {
      const value = heldBy(holder, leaf);
      setAt(message, path, value);
      return [writeSegment(writeText(leaf, value, choose), choose)];
    });
  }
  const own = template.segments.slice(variable.start, variable.end);
  const text = anyText.filter((each) => each !== "");
  // A slash in a variable of several segments stays encoded.
  const segment = variable.multiSegment ? text.map((each) => each.replaceAll("/", "|")) : text;
  const parts = own.map((each) => {
    switch (each.kind) {
      case "literal":
        return fc.constant([each.value]);
      case "wildcard":
        return segment.map((value) => [value]);
      default:
        return fc.array(segment, { minLength: minSegments, maxLength: 3 });
    }
  });
  return fc.tuple(...parts).map((values) => (message, choose) => {
    const segments = values.flat();
    setAt(message, path, segments.join("/"));
    return segments.map((each) => writeSegment(each, choose));
  });
}

function setAt(root: Message, path: readonly DescField[], value: unknown): void {
  let holder = root;
  for (const field of path) {
    const held = reflect(field.parent, holder, false);
    if (field.fieldKind === "message") {
      if (!held.isSet(field)) {
        held.set(field, reflect(field.message, create(field.message), false));
      }
      holder = held.get(field).message;
    } else {
      held.set(field, value);
    }
  }
}

/** The path of a binding with the segments of its variables. Other wildcards match a fixed text. */
function writePath(
  { template }: HttpBinding,
  values: readonly (readonly string[])[],
  choose: Choose,
): string {
  const segments: string[] = [];
  for (let index = 0; index < template.segments.length; ) {
    const position = template.variables.findIndex(({ start }) => start === index);
    const variable = template.variables[position];
    if (variable !== undefined) {
      segments.push(...(values[position] ?? []));
      index = variable.end;
    } else {
      const segment = template.segments[index];
      segments.push(segment?.kind === "literal" ? writeSegment(segment.value, choose) : "any");
      index += 1;
    }
  }
  return `/${segments.join("/")}${template.verb === "" ? "" : `:${template.verb}`}`;
}

function writeBody(
  { body, method: { input } }: HttpBinding,
  message: Message,
  choose: Choose,
): { readonly contentType: string | undefined; readonly text: string | Uint8Array } {
  const none = { contentType: undefined, text: new Uint8Array() };
  if (body.kind === "none") {
    return none;
  }
  if (body.raw) {
    const holder = body.kind === "field" ? heldBy(message, body.field) : message;
    const { contentType, data } = holder as HttpBodyContent;
    return { contentType, text: data };
  }
  const contentType = ["application/json", "application/merge-patch+json"][choose(2)];
  if (body.kind === "field") {
    return isFieldSet(message, body.field)
      ? { contentType, text: writeFieldJson(body.field, message, choose) }
      : none;
  }
  return { contentType, text: writeJson(input, message, choose) };
}
