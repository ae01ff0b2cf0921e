import type { DescMethod } from "@bufbuild/protobuf";
import { type Policy, withPolicies } from "./policy.js";
import type { MethodImplementation, ServiceImplementation } from "./service.js";

/** What answers calls; every door ends here. */
export interface MethodTable {
  /** The implementation of a method, with all policies around it; undefined where there is none. */
  of(method: DescMethod): MethodImplementation | undefined;
  /** All of them, in the order of their services. */
  readonly implementations: readonly MethodImplementation[];
}

/** Makes the table of all methods of some services; the first policy sees a call first. */
export function createMethodTable(
  services: readonly ServiceImplementation[],
  policies: readonly Policy[],
): MethodTable {
  const implementations = services.flatMap(({ methods }) =>
    methods.map((implementation) => withPolicies(implementation, policies)),
  );
  const byMethod = new Map(implementations.map((each) => [each.method as DescMethod, each]));
  return { of: (method) => byMethod.get(method), implementations };
}

/** The path of a method in gRPC, gRPC-Web and Connect: `/package.Service/Method`. */
export function methodPath({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}
