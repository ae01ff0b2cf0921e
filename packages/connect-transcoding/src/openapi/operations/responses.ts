import type { JsonValue } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { JsonForm } from "../../codec/json/form.js";
import { STREAM_TYPES } from "../../protocols/rest/envelope.js";
import {
  forbidsStoring,
  hasNoContent,
  isSafe,
  successStatus,
} from "../../routes/encoding/response-encoder.js";
import { givesStream, takesStream } from "../../routes/rules/http-rule.js";
import { type Comments, commentOn, joinTexts } from "../comments.js";
import { fieldNameIn } from "../documentation.js";
import { exampleOf, examplesOf, type Scenario } from "../examples.js";
import type { Link, MediaType, Response, Schema } from "../open-api.js";
import { isRequired } from "../schemas/google-annotations.js";
import type { Schemas } from "../schemas/schemas.js";
import { nullable } from "../schemas/value-schemas.js";

/**
 * The responses of a successful operation by status: that of the method with all of its media types, and 304 if it has entity tags. `name` is
 * the name of the operation in those of components.
 */
export function successResponses(
  scenarios: readonly Scenario[],
  name: string,
  schemas: Schemas,
  comments: Comments,
  links: Readonly<Record<string, Link>>,
): Readonly<Record<string, Response>> {
  const types = [...new Set(scenarios.flatMap(mediaTypes))];
  const contents = types.map((type): [string, MediaType] => {
    const having = scenarios.filter((scenario) => mediaTypes(scenario).includes(type));
    return [type, mediaType(having, type, name, schemas)];
  });
  const descriptions = new Set(scenarios.map(({ binding }) => commentOn(binding.method.output, comments)));
  const isStream = scenarios.some(isJsonStream);
  const texts = [
    joinTexts([...descriptions], " / ") || "The response.",
    ...(isStream ? [STREAM] : []),
    ...(scenarios.some(isConversation) ? [CONVERSATION] : []),
  ];
  const hasTag = canHaveTag(scenarios);
  const headers = { ...cacheControlOf(scenarios), ...(hasTag ? ENTITY_TAG : {}) };
  const statuses = new Set(scenarios.map(({ binding }) => successStatus(binding)));
  const response = (status: number): Response => ({
    description: texts.join("\n\n"),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(hasNoContent(status) ? {} : { content: Object.fromEntries(contents) }),
    ...(Object.keys(links).length > 0 ? { links } : {}),
  });
  return {
    ...Object.fromEntries([...statuses].map((status) => [String(status), response(status)])),
    ...(hasTag ? { 304: NOT_MODIFIED } : {}),
  };
}

function mediaTypes({ responseBody, binding: { method, options } }: Scenario): string[] {
  switch (responseBody.kind) {
    case "text":
      return ["text/plain"];
    case "bytes":
      return options.mediaTypes.length > 0 ? options.mediaTypes : ["*/*"];
    case "json":
      if (!givesStream(method)) {
        return ["application/json"];
      }
      return takesStream(method) ? [...CONVERSATION_TYPES] : [...STREAM_TYPES];
  }
}

/** The types of the responses to streams of messages, the default first. */
const CONVERSATION_TYPES = new Set(["application/x-ndjson", ...STREAM_TYPES]);

const STREAM =
  "A stream of messages: one per line of `application/x-ndjson`, per element of a JSON array, or per event of " +
  "`text/event-stream`. If the stream fails, the last one is an error.";

const CONVERSATION =
  "Requests and responses are streams at the same time: send one message per line of `application/x-ndjson`, and read one per " +
  "line. This needs HTTP/2.";

function isConversation(scenario: Scenario): boolean {
  return isJsonStream(scenario) && takesStream(scenario.binding.method);
}

function isJsonStream({ responseBody, binding: { method } }: Scenario): boolean {
  return responseBody.kind === "json" && givesStream(method);
}

/** Whether a response is an array of messages. */
function isArray(scenario: Scenario, type: string): boolean {
  return type === "application/json" && isJsonStream(scenario);
}

/** A media type of responses. Several schemas become a component with `oneOf` of further components. */
function mediaType(scenarios: readonly Scenario[], type: string, name: string, schemas: Schemas): MediaType {
  const alternatives = new Map<string, { readonly name: string; readonly schema: Schema }>();
  for (const scenario of scenarios) {
    const item = schemaOf(scenario, schemas);
    if (item !== undefined) {
      const schema: Schema = isArray(scenario, type) ? { type: "array", items: item } : item;
      const key = schema.$ref ?? JSON.stringify(schema);
      alternatives.set(key, { name: `${scenario.binding.method.name}Result`, schema });
    }
  }
  const [first] = alternatives.values();
  const oneOf = (): Schema[] =>
    [...alternatives.values()].map(({ name, schema }) =>
      schema.$ref === undefined ? schemas.define(name, schema) : { $ref: schema.$ref },
    );
  const schema = alternatives.size > 1 ? schemas.define(`${name}Result`, { oneOf: oneOf() }) : first?.schema;
  const example = (scenario: Scenario): JsonValue | undefined => {
    const item = exampleResponse(scenario, schemas.json);
    return item !== undefined && isArray(scenario, type) ? [item] : item;
  };
  return { ...(schema === undefined ? {} : { schema }), ...examplesOf(scenarios, example) };
}

/** The schema of a response; undefined for a `google.api.HttpBody`. */
function schemaOf(
  { responseBody: { kind, field }, binding: { method } }: Scenario,
  schemas: Schemas,
): Schema | undefined {
  if (kind === "bytes") {
    return undefined;
  }
  if (field === undefined) {
    return schemas.ofMessage(method.output, "response");
  }
  const schema = schemas.ofField(field, "response");
  // A response body that is an absent field is null.
  const canBeAbsent =
    field.presence === FeatureSet_FieldPresence.EXPLICIT && !isRequired(field, "response", schemas.json);
  return kind === "json" && canBeAbsent ? nullable(schema) : schema;
}

function exampleResponse(
  { responseBody: { kind, field }, binding: { method } }: Scenario,
  json: JsonForm,
): JsonValue | undefined {
  if (kind === "bytes") {
    return undefined;
  }
  const message = exampleOf(method.output, "response", json);
  return field === undefined ? message : message?.[fieldNameIn(field, json)];
}

function cacheControlOf(scenarios: readonly Scenario[]): NonNullable<Response["headers"]> {
  const [cacheControl = "", ...others] = new Set(
    scenarios.map(({ binding: { options } }) => options.cacheControl),
  );
  return others.length > 0 || cacheControl === ""
    ? {}
    : {
        "Cache-Control": {
          description: "How long the response can be cached.",
          // The types of a constant would differ between operations with the same response, for which ogen writes one type.
          schema: { type: "string", examples: [cacheControl] },
        },
      };
}

function canHaveTag(scenarios: readonly Scenario[]): boolean {
  return scenarios.every(
    ({ binding }) =>
      isSafe(binding) &&
      binding.method.methodKind === "unary" &&
      successStatus(binding) === 200 &&
      !forbidsStoring(binding.options.cacheControl),
  );
}

const ENTITY_TAG: NonNullable<Response["headers"]> = {
  ETag: {
    description:
      "The version of the response; a request with it in `If-None-Match` gets a 304 without a body if it is unchanged.",
    schema: { type: "string" },
  },
};

const NOT_MODIFIED: Response = {
  description: "The response is the one that `If-None-Match` names. It has no body.",
  headers: ENTITY_TAG,
};
