import type { Selector } from "../../gen/connecttranscoding/v1/options_pb.js";
import type { FieldViolation } from "../errors/errors.js";
import { allowedValues } from "../errors/http-error.js";
import { methodName } from "./field-path.js";
import type { HttpBinding } from "./http-rule.js";

/** The methods that share a verb and a path; a request's parameters say which one is meant. */
export type BindingGroup = readonly HttpBinding[];

/** The texts of those parameters that a request has. */
export type ParameterTexts = ReadonlyMap<string, string>;

/** The binding that a request selects, as far as one can be told, and what was wrong with its selectors. */
export interface Selection {
  readonly binding: HttpBinding | undefined;
  readonly violations: readonly FieldViolation[];
}

/** Finds the binding of a group that a request selects. */
export type Select = (texts: ParameterTexts) => Selection;

/** Makes what finds the one binding of a group all of whose selectors hold; that there is no other was checked before. */
export function compileSelection(group: BindingGroup): Select {
  const selections = group.map((binding) => ({
    selection: { binding, violations: [] },
    selectors: binding.surface.select,
  }));
  return (texts) => {
    for (const { selection, selectors } of selections) {
      if (selectors.every((selector) => holds(selector, texts.get(selector.parameter)))) {
        return selection;
      }
    }
    return { binding: undefined, violations: whyNone(group, texts) };
  };
}

/**
 * What is wrong where no binding is selected. Selectors are tried in the order of their declaration, and each that no
 * remaining binding agrees with becomes a violation which lists what is allowed, so that a caller learns of every wrong one
 * at once.
 */
function whyNone(group: BindingGroup, texts: ParameterTexts): FieldViolation[] {
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

/** The names of all parameters that the selectors of a group look at, in the order of declaration. */
export function selectorParameters(group: BindingGroup): string[] {
  return [...new Set(group.flatMap(({ surface }) => surface.select.map(({ parameter }) => parameter)))];
}

/**
 * Checks that no request can select two bindings of a group: each pair must disagree on some parameter. Throws
 * an Error that names the methods otherwise.
 */
export function assertExclusive(group: BindingGroup): void {
  for (const [index, first] of group.entries()) {
    for (const selector of first.surface.select) {
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
      const exclusive = first.surface.select.some((selector) =>
        selectorsOn(second, selector.parameter).some((other) => contradict(selector, other)),
      );
      if (!exclusive) {
        throw new Error(`one request could select both ${describe(first)} and ${describe(second)}`);
      }
    }
  }
}

/** How a binding is named in start-up errors. */
function describe({ method, verb, template }: HttpBinding): string {
  return `${methodName(method)} (${verb} ${template.source})`;
}

function selectorsOn({ surface }: HttpBinding, parameter: string): Selector[] {
  return surface.select.filter((selector) => selector.parameter === parameter);
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
