import type { JsonValue } from "@bufbuild/protobuf";
import { isSafe, STREAM_TYPE } from "../transcoding/answer.js";
import { forbidsStoring } from "../transcoding/cache-control.js";
import { type Comments, commentOn } from "./comments.js";
import { exampleOf, examplesBy, type Scenario } from "./example.js";
import { exemplify, type MediaType, type Response, type Schema } from "./open-api.js";
import type { Schemas } from "./schemas.js";

/** The answer of an operation that succeeds, in all media types that it can have. */
export function successResponse(
  scenarios: readonly Scenario[],
  schemas: Schemas,
  comments: Comments,
): Response {
  const types = [...new Set(scenarios.flatMap(mediaTypes))];
  const contents = types.map((type): [string, MediaType] => {
    const having = scenarios.filter((scenario) => mediaTypes(scenario).includes(type));
    return [type, mediaType(having, schemas)];
  });
  const descriptions = new Set(scenarios.map(({ binding }) => commentOn(binding.method.output, comments)));
  const isStream = scenarios.some(({ binding }) => binding.method.methodKind === "server_streaming");
  const texts = [
    [...descriptions].filter((text) => text !== "").join(" / ") || "The answer.",
    ...(isStream ? ["One message a line; if the stream fails, its last line is an error."] : []),
  ];
  const headers = headersOf(scenarios);
  return {
    description: texts.join("\n\n"),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    content: Object.fromEntries(contents),
  };
}

function mediaTypes({ answer, binding: { method, surface } }: Scenario): string[] {
  switch (answer.kind) {
    case "text":
      return ["text/plain"];
    case "octets":
      return surface.mediaTypes.length > 0 ? surface.mediaTypes : ["*/*"];
    case "json":
      return [method.methodKind === "server_streaming" ? STREAM_TYPE : "application/json"];
  }
}

function mediaType(scenarios: readonly Scenario[], schemas: Schemas): MediaType {
  const found = scenarios.flatMap((scenario) => schemaOf(scenario, schemas) ?? []);
  const unique = [...new Map(found.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [first, ...others] = unique;
  const schema = others.length === 0 ? first : { oneOf: unique };
  return { ...(schema === undefined ? {} : { schema }), ...exemplify(examplesBy(scenarios, exampleAnswer)) };
}

/** The schema of an answer; none where it is octets of whatever kind. */
function schemaOf({ answer, binding: { method } }: Scenario, schemas: Schemas): Schema | undefined {
  if (answer.kind === "octets") {
    return undefined;
  }
  return answer.field === undefined
    ? schemas.ofMessage(method.output, "answer")
    : schemas.ofField(answer.field, "answer");
}

function exampleAnswer({ answer: { kind, field }, binding: { method } }: Scenario): JsonValue | undefined {
  if (kind === "octets") {
    return undefined;
  }
  const message = exampleOf(method.output, "answer");
  return field === undefined ? message : message[field.jsonName];
}

function headersOf(scenarios: readonly Scenario[]): Record<string, { description: string; schema: Schema }> {
  const bindings = scenarios.map(({ binding }) => binding);
  const [cacheControl = "", ...others] = new Set(bindings.map(({ surface }) => surface.cacheControl));
  const isSame = others.length === 0 && cacheControl !== "";
  const mayBeKept = bindings.every(
    (binding) =>
      isSafe(binding) &&
      binding.method.methodKind === "unary" &&
      !forbidsStoring(binding.surface.cacheControl),
  );
  return {
    ...(isSame
      ? {
          "Cache-Control": {
            description: "How long the answer can be kept.",
            schema: { type: "string", const: cacheControl },
          },
        }
      : {}),
    ...(mayBeKept
      ? {
          ETag: {
            description:
              "What the answer is; with it in `If-None-Match`, the same answer is a 304 without a body.",
            schema: { type: "string" },
          },
        }
      : {}),
  };
}
