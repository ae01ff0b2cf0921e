import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import { type Caller, DEFAULT_MAX_MESSAGES } from "../call/caller.js";
import { commentOn, firstSentence } from "../openapi/comments.js";
import { createMessageSchema } from "../openapi/message-schema.js";
import type { Schema } from "../openapi/open-api.js";
import { toolOptionsOf } from "../proto-options.js";
import { methodName } from "../routes/rules/http-rule.js";
import type { LoadedOptions, ToolInfo } from "./options.js";

/** A method as a tool. */
export interface MethodTool {
  readonly method: DescMethod;
  readonly defaults: ToolInfo["defaults"];
  /** Whether the argument `max_items` limits a stream. */
  readonly hasMaxItems: boolean;
  readonly description: Tool;
}

/** How deep the schemas of results describe objects. */
const RESULT_DEPTH = 3;

/** The maximum of `max_items`. */
export const MAX_ITEMS = 1000;

/** Describes the methods that a caller can call as tools, by their names. Throws an Error for a name that is not valid or taken. */
export function describeTools(caller: Caller, options: LoadedOptions): ReadonlyMap<string, MethodTool> {
  const { comments, tool = hideInternal } = options;
  const { json = {}, unknownParameters } = caller.format;
  const schemaOf = createMessageSchema({ comments, unknownParameters, json });
  // The results of calls explain themselves.
  const resultSchemaOf = createMessageSchema({ comments: {}, unknownParameters, json });
  const tools = new Map<string, MethodTool>();
  for (const method of caller.methods) {
    const inProto = toolOptionsOf(method);
    const info = tool(method) ?? (inProto?.hidden === true ? "hidden" : {});
    const input = info === "hidden" ? undefined : schemaOf(method.input, "request");
    if (info === "hidden" || input === undefined || (input.type ?? "object") !== "object") {
      continue;
    }
    const name = info.name ?? (inProto?.name || freeName(method, tools));
    if (!/^[\w-]{1,64}$/.test(name) || tools.has(name)) {
      throw new Error(`${methodName(method)}: the name of the tool '${name}' is not valid, or taken`);
    }
    // The method is described, and errors have their reasons.
    const { description: _, ...schema } = input;
    const isStream = method.methodKind === "server_streaming";
    const hasMaxItems = isStream && input.properties?.max_items === undefined;
    const comment = commentOn(method, comments);
    const properties = {
      ...withDefaults(input.properties ?? {}, info.defaults),
      ...(hasMaxItems ? { max_items: MAX_ITEMS_SCHEMA } : {}),
    };
    const output = resultSchema(method, caller, resultSchemaOf(method.output, "response"));
    tools.set(name, {
      method,
      defaults: info.defaults,
      hasMaxItems,
      description: {
        name,
        title: info.title ?? (firstSentence(comment) || method.name),
        description: info.description ?? (comment || method.name),
        inputSchema: { ...schema, type: "object", ...(input.oneOf === undefined && { properties }) },
        ...(output && { outputSchema: { ...output, type: "object" } }),
        annotations: info.annotations ?? hintsOf(method, caller),
        // Schemas cannot be changed, which the type of the package allows.
      } as object as Tool,
    });
  }
  return tools;
}

function hideInternal({ parent }: DescMethod): "hidden" | undefined {
  return parent.typeName.startsWith("grpc.") ? "hidden" : undefined;
}

const MAX_ITEMS_SCHEMA: Schema = {
  type: "integer",
  minimum: 1,
  maximum: MAX_ITEMS,
  default: DEFAULT_MAX_MESSAGES,
  description: "The number of messages after which the result ends.",
};

function withDefaults(properties: NonNullable<Schema["properties"]>, defaults: ToolInfo["defaults"] = {}) {
  const changed = Object.entries(defaults).flatMap(([name, value]) =>
    properties[name] === undefined ? [] : [[name, { ...properties[name], default: value }]],
  );
  return { ...properties, ...Object.fromEntries(changed) };
}

/** The schema of results; undefined for bytes, and for values that are no objects. */
function resultSchema(method: DescMethod, { bindings }: Caller, output: Schema): Schema | undefined {
  const hasBytes =
    method.output.typeName === "google.api.HttpBody" ||
    bindings.some((each) => each.method === method && each.responseBody?.message !== undefined);
  if (hasBytes) {
    return undefined;
  }
  const shape = shapeOf(output, RESULT_DEPTH);
  if (method.methodKind === "server_streaming") {
    const properties = { items: { type: "array", items: shape }, note: { type: "string" } };
    return { type: "object", properties, required: ["items"] };
  }
  return (output.type ?? "object") === "object" ? shape : undefined;
}

/** The names and types in a schema. Texts and limits are left out: a list of tools takes the room of a conversation. */
function shapeOf({ type, properties, items, additionalProperties }: Schema, depth: number): Schema {
  return {
    ...(type !== undefined && { type }),
    ...(properties !== undefined &&
      depth > 0 && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, each]) => [name, shapeOf(each, depth - 1)]),
        ),
      }),
    ...(items !== undefined && { items: shapeOf(items, depth) }),
    ...(typeof additionalProperties === "object" &&
      depth > 0 && { additionalProperties: shapeOf(additionalProperties, depth - 1) }),
  };
}

const MAX_NAME = 64;

/** `<service>_<method>`, with the package if that is taken. The beginning of a name that is too long is left out, up to a word. */
function freeName({ parent, name }: DescMethod, taken: ReadonlyMap<string, unknown>): string {
  const short = snakeCase(`${parent.name.replace(/(?<=.)Service$/, "")}_${name}`);
  const full = taken.has(short) ? snakeCase(`${parent.typeName}_${name}`) : short;
  return full.length <= MAX_NAME ? full : full.slice(-MAX_NAME).replace(/^[^_]*_(?=.)/, "");
}

function snakeCase(text: string): string {
  return text
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_")
    .replaceAll(/\W|__+/g, "_")
    .toLowerCase();
}

/** What `idempotency_level` and the HTTP methods say. A POST alone says nothing, so that the defaults of the protocol hold. */
function hintsOf(method: DescMethod, { bindings }: Caller): ToolAnnotations {
  const { idempotency } = method;
  const verbs = bindings.filter((each) => each.method === method).map(({ httpMethod }) => httpMethod);
  const only = (...allowed: string[]): boolean =>
    verbs.length > 0 && verbs.every((each) => allowed.includes(each));
  if (idempotency === Idempotency.NO_SIDE_EFFECTS || only("GET", "HEAD")) {
    return { readOnlyHint: true };
  }
  return {
    readOnlyHint: false,
    ...(only("PUT", "PATCH", "DELETE") && { destructiveHint: true }),
    ...((idempotency === Idempotency.IDEMPOTENT || only("PUT", "DELETE")) && { idempotentHint: true }),
  };
}
