import type { DescField } from "@bufbuild/protobuf";
import { fieldsByName } from "../codec/json/members.js";
import { hasOwnForm, isWrittenAsText } from "../codec/value-parser.js";
import type { FieldViolation } from "../errors/errors.js";
import { abbreviate, allowedValues, MAX_GATHERED } from "../errors/http-error.js";
import { NO_VIOLATIONS } from "./binding/controls.js";
import type { Parameter } from "./binding/request-parameters.js";
import { systemNames } from "./binding/system-parameters.js";
import type { CompiledBinding, MethodGroupOptions } from "./compiled-binding.js";
import { type BindingGroup, selectorParameters } from "./rules/binding-group.js";
import { type HttpBinding, parameterFields } from "./rules/http-rule.js";

/** The parameters that the requests of a group of methods can have. */
export interface KnownParameters {
  /** Parameters that select a method, a representation or the form of the response. */
  readonly controlNames: ReadonlySet<string>;
  /** The system parameters of Google's APIs; undefined if requests cannot have them. */
  readonly system: ReturnType<typeof systemNames> | undefined;
  /** Finds parameters that no method of the group takes. */
  findUnknown(parameters: readonly Parameter[]): readonly FieldViolation[];
  /**
   * Finds secrets that only other methods of the group take. Other parameters of theirs are ignored; a client whose secret is ignored
   * would believe that it is in use.
   */
  findForeign(parameters: readonly Parameter[], chosen: CompiledBinding): readonly FieldViolation[];
}

/** Compiles the parameters of a group. With `unknownParameters: "ignore"`, nothing is found. */
export function knownParameters(
  bindings: BindingGroup,
  compiled: ReadonlyMap<HttpBinding, CompiledBinding>,
  options: MethodGroupOptions,
): KnownParameters {
  const ignoresUnknown = options.unknownParameters === "ignore";
  const binders = [...compiled.values()].map(({ binder }) => binder);
  const selectorNames = [
    ...selectorParameters(bindings),
    ...bindings.flatMap(({ options: { representation } }) => representation?.parameter ?? []),
  ];
  const isTaken = (name: string): boolean =>
    selectorNames.includes(name) ||
    binders.some((binder) => binder.hasField({ name, value: "", source: "text" }));
  const system = options.systemParameters === true ? systemNames(isTaken) : undefined;
  const controlNames = new Set([...selectorNames, ...(system?.keys() ?? [])]);
  const acceptedOf = (binding: HttpBinding) => acceptedNames(binding, options.mapParameters === true);
  const accepted = [...new Set([...selectorNames, ...bindings.flatMap(acceptedOf)])];
  const secrets = new Set(
    bindings
      .flatMap(({ method }) => [...fieldsByName(method.input)])
      .flatMap(([name, field]) => (field.proto.options?.debugRedact === true ? [name] : [])),
  );

  const isKnown = (parameter: Parameter): boolean =>
    controlNames.has(parameter.name) || binders.some((binder) => binder.hasField(parameter));

  return {
    controlNames,
    system,
    findUnknown: (parameters) =>
      ignoresUnknown || parameters.every(isKnown)
        ? NO_VIOLATIONS
        : unknownAmong(parameters, isKnown, accepted),
    findForeign: (parameters, { binder, binding }) => {
      const isOwn = (parameter: Parameter): boolean =>
        !secrets.has(parameter.name) || controlNames.has(parameter.name) || binder.hasField(parameter);
      return ignoresUnknown || compiled.size === 1 || parameters.every(isOwn)
        ? NO_VIOLATIONS
        : unknownAmong(parameters, isOwn, [...new Set([...selectorNames, ...acceptedOf(binding)])]);
    },
  };
}

/** The violations of unknown parameters, each with the names that are accepted. */
function unknownAmong(
  parameters: readonly Parameter[],
  isKnown: (parameter: Parameter) => boolean,
  accepted: readonly string[],
): FieldViolation[] {
  const unknown = new Set<string>();
  for (const parameter of parameters) {
    if (unknown.size === MAX_GATHERED) {
      break;
    }
    if (!isKnown(parameter)) {
      unknown.add(parameter.name);
    }
  }
  const description = `is not a parameter here${allowedValues(accepted)}`;
  return [...unknown].map((name) => ({ field: abbreviate(name), reason: "UNKNOWN_PARAMETER", description }));
}

/** The parameter names that errors list for a binding: all except those that the path or the body sets, and those that text cannot have. */
function acceptedNames(binding: HttpBinding, mapParameters: boolean): string[] {
  const { body } = binding;
  const isWhole = body.kind === "value" || (body.kind === "message" && body.raw);
  const nameOf = (field: DescField): string | undefined =>
    body.kind === "message" ? field.jsonName : textName(field, mapParameters);
  return isWhole ? [] : parameterFields(binding).flatMap((field) => nameOf(field) ?? []);
}

/** The name of a field in a query, with `.*` for those of a nested message; undefined for a field that a query cannot hold. */
function textName({ fieldKind, message, jsonName }: DescField, mapParameters: boolean): string | undefined {
  if (fieldKind === "map") {
    return mapParameters ? `${jsonName}[*]` : undefined;
  }
  if (message === undefined || isWrittenAsText(message)) {
    return jsonName;
  }
  return fieldKind === "message" && !hasOwnForm(message) ? `${jsonName}.*` : undefined;
}
