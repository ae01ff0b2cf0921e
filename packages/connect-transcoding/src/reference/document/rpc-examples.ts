import type { DescMethod } from "@bufbuild/protobuf";
import { exampleOf } from "../../openapi/examples.js";
import type { RpcExample } from "../snippets.js";
import { methodOfExample } from "./model.js";

/** Returns the gRPC call of a method in an operation; undefined if the method is unknown. */
export type FindRpc = (methodName: string, tag: string) => RpcExample | undefined;

/** Finds methods by name, and by the name of their service in the tag of an operation where several have the same name. */
export function findRpcIn(methods: readonly DescMethod[]): FindRpc {
  return (methodName, tag) => {
    const exact = methods.filter(({ name }) => name === methodName);
    const named =
      exact.length > 0 ? exact : methods.filter(({ name }) => name === methodOfExample(methodName));
    const found =
      named.find(({ parent }) => parent.name === tag) ?? (named.length === 1 ? named[0] : undefined);
    return found === undefined ||
      found.methodKind === "client_streaming" ||
      found.methodKind === "bidi_streaming"
      ? undefined
      : {
          path: `${found.parent.typeName}/${found.name}`,
          request: exampleOf(found.input, "request", { enums: "names" }) ?? {},
        };
  };
}
