import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { type BindingGroup, selectorParameters } from "../../routes/rules/binding-group.js";
import { methodName } from "../../routes/rules/http-rule.js";
import { type Comments, commentOn, firstSentence, joinTexts } from "../comments.js";
import { isDeprecated } from "../documentation.js";
import { scenariosOf } from "../examples.js";
import type { Extensions, Operation } from "../open-api.js";
import { describedBy } from "../schemas/object-schemas.js";
import type { Schemas } from "../schemas/schemas.js";
import type { ErrorResponses } from "./error-responses.js";
import type { LinkedOperation, Links } from "./links.js";
import { operationParameters } from "./parameters.js";
import { requestBody } from "./request-body.js";
import { successResponses } from "./responses.js";
import type { SecurityOf } from "./security.js";
import { systemParameters as systemParametersOf } from "./system-parameters.js";
import type { TagsOf } from "./tags.js";

/** What the operations of a document share. */
export interface OperationContext {
  readonly schemas: Schemas;
  readonly errors: ErrorResponses;
  readonly linksOf: Links;
  readonly comments: Comments;
  readonly tagsOf: TagsOf;
  readonly systemParameters: boolean;
  readonly securityOf: SecurityOf;
}

/** The operation of the bindings that share a path and an HTTP method. */
export function operationOf(
  linked: LinkedOperation,
  { schemas, errors, linksOf, comments, tagsOf, securityOf, systemParameters }: OperationContext,
): Operation {
  const { operationId, path, group } = linked;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
  const scenarios = group.flatMap(scenariosOf);
  const parameters = [
    ...operationParameters(group, path, scenarios, schemas),
    ...(systemParameters ? systemParametersOf(group) : []),
  ];
  const body = requestBody(group, name, scenarios, schemas);
  const success = successResponses(scenarios, name, schemas, comments, linksOf(linked));
  return {
    operationId,
    tags: [...new Set(group.flatMap(tagsOf))],
    summary: summaryOf(group, comments),
    ...describedBy(descriptionOf(group, comments)),
    ...(group.every(({ method }) => isDeprecated(method)) ? { deprecated: true } : {}),
    ...securityOf(group),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...success, ...errors.ofGroup(group) },
    ...extensionsOf(group),
  };
}

/**
 * The declared ID of an operation, or the names of its service and its methods: `bookGetBook` for `GetBook` of `BookService`.
 * The name of a method alone would cause conflicts: some generators create a type `GetBookResponse` for the responses of an
 * operation, and a message usually has that name. Throws an Error with the method for an ID that is not a valid name.
 */
export function operationIdOf(group: BindingGroup): string {
  const declared = group.find(({ options }) => options.operationId !== "");
  if (declared !== undefined) {
    const { method, options } = declared;
    if (!/^[A-Za-z]\w*$/.test(options.operationId)) {
      throw new Error(`${methodName(method)}: the operation_id '${options.operationId}' is not a valid name`);
    }
    return options.operationId;
  }
  const services = group.map(({ method }) => method.parent.name.replace(/(?<=.)Service$/, ""));
  const methods = [...new Set(group.map(({ method }) => method.name))];
  const id = `${services[0] ?? ""}${methods.join("Or")}`;
  // Of capitals at the start, the last one begins the next word: `SEGService.Get` is `segGet`.
  return id.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
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
  if (group.some(({ options }) => options.parametersAnywhere)) {
    paragraphs.push(
      "The parameters can also be sent in a form (`application/x-www-form-urlencoded`) or in the query.",
    );
  }
  return joinTexts(paragraphs, "\n\n");
}

/** The selectors of a binding, in words. */
function conditionsOf({ options }: BindingGroup[number]): string {
  const present = options.select.flatMap(({ parameter, condition }) =>
    condition.case === "equals"
      ? [`\`${parameter}=${condition.value}\``]
      : condition.value === true
        ? [`\`${parameter}\``]
        : [],
  );
  const absent = options.select.flatMap(({ parameter, condition }) =>
    condition.value === false ? [`\`${parameter}\``] : [],
  );
  return [
    ...(present.length > 0 ? [`with ${present.join(" and ")}`] : []),
    ...(absent.length > 0 ? [`without ${absent.join(" and ")}`] : []),
  ].join(", ");
}

/** The extensions of all methods of an operation. Throws an Error with the method for an invalid name, and where two disagree. */
function extensionsOf(group: BindingGroup): Extensions {
  const found: Record<`x-${string}`, JsonValue> = {};
  for (const { method, options } of group) {
    for (const [name, value] of Object.entries(options.extensions)) {
      if (!isExtensionName(name)) {
        throw new Error(`${methodName(method)}: the name of the extension '${name}' must begin with 'x-'`);
      }
      if (value.kind.case === undefined) {
        throw new Error(`${methodName(method)}: the extension '${name}' has no value`);
      }
      const json = toJson(ValueSchema, value);
      if (name in found && JSON.stringify(found[name]) !== JSON.stringify(json)) {
        throw new Error(`${methodName(method)}: another method of the operation has another '${name}'`);
      }
      found[name] = json;
    }
  }
  return found;
}

function isExtensionName(name: string): name is `x-${string}` {
  return /^x-./.test(name);
}
