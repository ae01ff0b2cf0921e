import type { Selector } from "../../../gen/connecttranscoding/v1/options_pb.js";
import type { FieldViolation } from "../../errors/errors.js";
import { allowedValues } from "../../errors/http-error.js";
import type { BodyRule } from "./body-rule.js";
import { type HttpBinding, methodName } from "./http-rule.js";

/** The bindings that share an HTTP method and a path; the parameters of a request select one of them. */
export type BindingGroup = readonly HttpBinding[];

/** The rules for the content of a request, which are needed before a binding is selected. */
export interface ContentRule {
  readonly body: BodyRule;
  readonly parametersAnywhere: boolean;
}

/** Returns the content rule of a group. Throws an Error that names the methods if they disagree. */
export function contentRuleOf(bindings: BindingGroup): ContentRule {
  const rules = bindings.map(({ body, options: { parametersAnywhere } }) => ({ body, parametersAnywhere }));
  const [first, ...others] = rules;
  if (first === undefined) {
    throw new Error("a group of bindings cannot be empty");
  }
  const bodyText = ({ body }: ContentRule) =>
    `${body.kind} ${body.kind === "field" ? body.field.name : ""} ${body.kind !== "none" && body.raw}`;
  const names = () => bindings.map(({ method }) => methodName(method)).join(" and ");
  for (const other of others) {
    if (bodyText(other) !== bodyText(first) || other.parametersAnywhere !== first.parametersAnywhere) {
      throw new Error(`${names()} share a path and must have the same body and parameters_anywhere`);
    }
  }
  if (first.parametersAnywhere && first.body.kind !== "message") {
    throw new Error(`${names()}: parameters_anywhere needs body: "*"`);
  }
  return first;
}

/** The texts of the parameters of a request that select a binding. */
export type ParameterTexts = ReadonlyMap<string, string>;

/** The selected binding, or violations if the parameters select none. */
export interface Selection {
  readonly binding: HttpBinding | undefined;
  readonly violations: readonly FieldViolation[];
}

/** Selects a binding of a group. */
export type Select = (texts: ParameterTexts) => Selection;

/** Returns a function that selects the binding whose selectors all hold. The group must be {@link assertExclusive}. */
export function compileSelection(group: BindingGroup): Select {
  const selections = group.map((binding) => ({
    selection: { binding, violations: [] },
    selectors: binding.options.select,
  }));
  return (texts) => {
    for (const { selection, selectors } of selections) {
      if (selectors.every((selector) => holds(selector, texts.get(selector.parameter)))) {
        return selection;
      }
    }
    return { binding: undefined, violations: selectionViolations(group, texts) };
  };
}

/**
 * Explains why no binding is selected. Narrows the candidates by one parameter after the other, in order of declaration. A
 * parameter without a matching candidate becomes a violation and does not narrow them, so that all violations are reported.
 */
function selectionViolations(group: BindingGroup, texts: ParameterTexts): FieldViolation[] {
  const violations: FieldViolation[] = [];
  let candidates = group;
  for (const parameter of selectorParameters(group)) {
    const value = texts.get(parameter);
    const agreeing = candidates.filter((binding) =>
      selectorsOn(binding, parameter).every((selector) => holds(selector, value)),
    );
    if (agreeing.length > 0) {
      candidates = agreeing;
    } else {
      violations.push(violationOf(parameter, value, candidates));
    }
  }
  return violations;
}

/** The names of all parameters in the selectors of a group, in order of declaration. */
export function selectorParameters(group: BindingGroup): string[] {
  return [...new Set(group.flatMap(({ options }) => options.select.map(({ parameter }) => parameter)))];
}

/**
 * Checks that no request can select two bindings of a group: each pair must contradict each other on some parameter.
 * Throws an Error that names the methods otherwise.
 */
export function assertExclusive(group: BindingGroup): void {
  for (const [index, first] of group.entries()) {
    for (const selector of first.options.select) {
      if (selector.parameter === "" || selector.condition.case === undefined) {
        throw new Error(`${describe(first)}: a selector needs a parameter and a condition`);
      }
      if (selectorsOn(first, selector.parameter).some((other) => contradict(selector, other))) {
        throw new Error(
          `${describe(first)}: no request could satisfy its selectors on '${selector.parameter}'`,
        );
      }
    }
    for (const second of group.slice(index + 1)) {
      const exclusive = first.options.select.some((selector) =>
        selectorsOn(second, selector.parameter).some((other) => contradict(selector, other)),
      );
      if (!exclusive) {
        throw ambiguous(first, second);
      }
    }
  }
}

/** The Error for two bindings that one request could select. */
export function ambiguous(first: HttpBinding, second: HttpBinding): Error {
  return new Error(`one request could select both ${describe(first)} and ${describe(second)}`);
}

function describe({ method, httpMethod, template }: HttpBinding): string {
  return `${methodName(method)} (${httpMethod} ${template.source})`;
}

function selectorsOn({ options }: HttpBinding, parameter: string): Selector[] {
  return options.select.filter((selector) => selector.parameter === parameter);
}

function holds({ condition }: Selector, value: string | undefined): boolean {
  return condition.case === "equals" ? condition.value === value : condition.value === (value !== undefined);
}

function contradict({ condition: a }: Selector, { condition: b }: Selector): boolean {
  if (a.case === "equals" && b.case === "equals") {
    return a.value !== b.value;
  }
  const demandsPresence = (condition: Selector["condition"]) =>
    condition.case === "equals" || condition.value === true;
  return demandsPresence(a) !== demandsPresence(b);
}

function violationOf(parameter: string, value: string | undefined, candidates: BindingGroup): FieldViolation {
  const allowed = candidates.flatMap((binding) =>
    selectorsOn(binding, parameter).flatMap(({ condition }) =>
      condition.case === "equals" ? [condition.value] : [],
    ),
  );
  const list = allowedValues(allowed);
  if (value === undefined) {
    return { field: parameter, reason: "REQUIRED", description: `is required${list}` };
  }
  return { field: parameter, reason: "INVALID_VALUE", description: `has an unknown value${list}` };
}
