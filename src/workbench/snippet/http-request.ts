import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { http_value as httpValueOption } from "@utility-tools/protos/connecttranscoding/v1/options_pb.js";
import { type HttpBinding, type RestMethod, readHttpBindings } from "connect-transcoding/rules";

/** A call as a request of plain HTTP. */
export interface HttpRequest {
  readonly verb: string;
  /** Path and query, percent-encoded; begins with a slash. */
  readonly target: string;
  /** The members of the JSON body; undefined for a request that has none. */
  readonly body: JsonObject | undefined;
}

/**
 * The binding of a method that its requests are written by: the first of its `google.api.http` rule. Throws an Error for
 * a method that has none, or one with variables in its path, of which this service has no example.
 */
export function bindingOf(method: RestMethod): HttpBinding {
  const [binding] = readHttpBindings(method);
  if (binding === undefined || binding.template.variables.length > 0) {
    throw new Error(`${method.parent.typeName}.${method.name} has no path that is always the same`);
  }
  return binding;
}

/**
 * A call as plain HTTP has it: the parameters that select the method, the one that makes the answer JSON, and the fields that
 * are set, in the query or in the body as the method's rule says.
 */
export function httpRequestOf<Desc extends DescMessage>(
  method: RestMethod & { readonly input: Desc },
  message: MessageShape<Desc>,
  registry?: Registry,
): HttpRequest {
  const { httpMethod: verb, template, body, options } = bindingOf(method);
  const fields = toJson(method.input, message, registry === undefined ? {} : { registry }) as JsonObject;
  const chosen = surfaceParameters(options);
  if (body.kind === "message" && options.parametersAnywhere) {
    return { verb, target: template.source, body: { ...chosen, ...fields } };
  }
  const inBody = body.kind === "message" ? fields : body.kind === "field" ? fields[body.field.jsonName] : {};
  const inQuery = method.input.fields.filter(
    (field) => body.kind === "none" || (body.kind === "field" && body.field !== field),
  );
  const parameters = [
    ...Object.entries(chosen),
    ...inQuery.flatMap((field) => textParameters(field, fields[field.jsonName], "")),
  ];
  const query = parameters.map((pair) => pair.map(percentEncode).join("=")).join("&");
  return {
    verb,
    target: query === "" ? template.source : `${template.source}?${query}`,
    body: body.kind === "none" ? undefined : ((inBody ?? {}) as JsonObject),
  };
}

/** The parameters that no field has: those that select the method, and the one that makes the answer JSON. */
function surfaceParameters({ select, representation }: HttpBinding["options"]): Record<string, string> {
  const selectors = select.flatMap(({ parameter, condition }) =>
    condition.case === "equals" ? [[parameter, condition.value] as const] : [],
  );
  const json = representation?.choices.find(({ textField }) => textField === "");
  const choice =
    representation === undefined || json === undefined
      ? []
      : [[representation.parameter, json.value] as const];
  return Object.fromEntries([...selectors, ...choice]);
}

/** A field's value as parameters of a query: fields of fields with dots, elements of a list one by one. */
function textParameters(field: DescField, value: JsonValue | undefined, prefix: string): [string, string][] {
  const name = `${prefix}${field.jsonName}`;
  if (value === undefined || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((element) => textParameters(field, element, prefix));
  }
  if (typeof value === "object") {
    return (field.message?.fields ?? []).flatMap((each) =>
      textParameters(each, value[each.jsonName], `${name}.`),
    );
  }
  return [[name, httpValueOf(field, value)]];
}

/** What stands for a value over HTTP: an enum's may have a name of its own there. */
function httpValueOf(field: DescField, value: string | number | boolean): string {
  const named = field.enum?.values.find(({ name }) => name === value);
  return named !== undefined && hasOption(named, httpValueOption)
    ? getOption(named, httpValueOption)
    : String(value);
}

/** Also what `encodeURIComponent` leaves alone, for the sake of shells; a lone surrogate becomes U+FFFD, as in UTF-8. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD")).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
