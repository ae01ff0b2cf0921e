import { type BindingGroup, selectorParameters } from "../transcoding/selection.js";
import { type Comments, commentOn, firstSentence } from "./comments.js";
import type { ErrorResponses } from "./error-responses.js";
import { scenariosOf } from "./example.js";
import type { Operation } from "./open-api.js";
import { operationParameters } from "./operation-parameters.js";
import type { OpenApiPath } from "./path.js";
import { requestBody } from "./request-body.js";
import type { Schemas } from "./schemas.js";
import { successResponse } from "./success-response.js";
import { describedBy } from "./value-schema.js";

/** What an operation is written with. */
export interface OperationContext {
  readonly schemas: Schemas;
  readonly errors: ErrorResponses;
  readonly comments: Comments;
  /** The name of a service's tag. */
  readonly tagOf: (binding: BindingGroup[number]) => string;
}

/** Writes down the bindings that share a path and an HTTP method, which to OpenAPI are one operation. */
export function operationOf(group: BindingGroup, path: OpenApiPath, context: OperationContext): Operation {
  const { schemas, errors, comments, tagOf } = context;
  const scenarios = group.flatMap(scenariosOf);
  const parameters = operationParameters(group, path, scenarios, schemas);
  const body = requestBody(group, scenarios, schemas);
  return {
    operationId: operationId(group),
    tags: [...new Set(group.map(tagOf))],
    summary: summaryOf(group, comments),
    ...describedBy(descriptionOf(group, comments)),
    ...(group.every(({ method }) => method.deprecated) ? { deprecated: true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { 200: successResponse(scenarios, schemas, comments), ...errors.ofGroup(group) },
  };
}

function operationId(group: BindingGroup): string {
  const services = [...new Set(group.map(({ method }) => method.parent.name))];
  const methods = [...new Set(group.map(({ method }) => method.name))];
  return [...services, ...methods].join("_");
}

function summaryOf(group: BindingGroup, comments: Comments): string {
  const names = group.map(({ method }) => method.name);
  const [first] = group;
  return first !== undefined && group.length === 1
    ? firstSentence(commentOn(first.method, comments)) || first.method.name
    : `${names.join(" or ")}, by ${selectorParameters(group).join(" and ")}`;
}

function descriptionOf(group: BindingGroup, comments: Comments): string {
  const paragraphs = group.map((binding) => {
    const comment = commentOn(binding.method, comments);
    const conditions = conditionsOf(binding);
    if (group.length === 1) {
      return comment;
    }
    const heading = `**${binding.method.name}**, ${conditions}`;
    return comment === "" ? heading : `${heading}: ${comment}`;
  });
  if (group.some(({ surface }) => surface.parametersAnywhere)) {
    paragraphs.push("The parameters come in a JSON object, in a form, or in the query.");
  }
  return paragraphs.filter((text) => text !== "").join("\n\n");
}

/** What selects a binding, in words. */
function conditionsOf({ surface }: BindingGroup[number]): string {
  const given = surface.select.flatMap(({ parameter, condition }) =>
    condition.case === "equals"
      ? [`\`${parameter}=${condition.value}\``]
      : condition.value === true
        ? [`\`${parameter}\``]
        : [],
  );
  const absent = surface.select.flatMap(({ parameter, condition }) =>
    condition.value === false ? [`\`${parameter}\``] : [],
  );
  return [
    ...(given.length > 0 ? [`with ${given.join(" and ")}`] : []),
    ...(absent.length > 0 ? [`without ${absent.join(" and ")}`] : []),
  ].join(", ");
}
