import type { DescMethod } from "@bufbuild/protobuf";
import { allowedValues } from "../../errors/http-error.js";
import type { BindingGroup } from "../../routes/rules/binding-group.js";
import type { Operation, SecurityRequirement } from "../open-api.js";

/** The `security` of an operation; empty where it is the default of the document. */
export type SecurityOf = (group: BindingGroup) => Pick<Operation, "security">;

/** Throws an Error for a requirement that names an unknown security scheme. */
export function createSecurity(
  schemes: readonly string[],
  security: readonly SecurityRequirement[],
  methodSecurity: (method: DescMethod) => readonly SecurityRequirement[] | undefined,
): SecurityOf {
  const checked = (requirements: readonly SecurityRequirement[]) => {
    const unknown = requirements.flatMap(Object.keys).find((name) => !schemes.includes(name));
    if (unknown !== undefined) {
      throw new Error(`'${unknown}' is not a security scheme${allowedValues(schemes)}`);
    }
    return requirements;
  };
  checked(security);
  return (group) => {
    const own = group.map(({ method }) => methodSecurity(method));
    if (own.every((each) => each === undefined)) {
      return {};
    }
    const all = own.map((each) => checked(each ?? security));
    // An empty requirement is an alternative without authentication.
    const alternatives = all.every(({ length }) => length === 0)
      ? []
      : all.flatMap((each): readonly SecurityRequirement[] => (each.length === 0 ? [{}] : each));
    return { security: [...new Map(alternatives.map((each) => [JSON.stringify(each), each])).values()] };
  };
}
