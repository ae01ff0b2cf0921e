import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";

/** A method by its name, with the types of its descriptor. */
export interface Method<Input extends DescMessage, Output extends DescMessage> {
  /** `LookupIp`. */
  readonly name: string;
  /** `GeoIpService/LookupIp`. */
  readonly path: string;
  /** Never set: it carries the types. */
  readonly desc?: DescMethodUnary<Input, Output>;
}

type InputOf<Desc> = Desc extends DescMethodUnary<infer Input, DescMessage> ? Input : never;
type OutputOf<Desc> = Desc extends DescMethodUnary<DescMessage, infer Output> ? Output : never;

/** Returns a method by its path. */
export function methodAt<Desc extends DescMethodUnary<DescMessage, DescMessage>>(
  path: string,
): Method<InputOf<Desc>, OutputOf<Desc>> {
  return { name: path.slice(path.indexOf("/") + 1), path };
}

/** A value of a message as {@link fromJsonNames} returns it: enum values are their names. */
export type Plain<T> = T extends Uint8Array | { readonly $typeName: "google.protobuf.Timestamp" }
  ? string
  : T extends string | boolean | bigint | undefined
    ? T
    : T extends number
      ? `${number}` extends `${T}`
        ? number
        : string
      : T extends readonly (infer Item)[]
        ? readonly Plain<Item>[]
        : { readonly [Name in keyof T as Exclude<Name, "$typeName" | "$unknown">]: Plain<T[Name]> };

/** The local names of fields that have another name in JSON than in snake case. */
const RENAMED: Readonly<Record<string, string>> = {
  "+30s": "next",
  "-30s": "previous",
  "-60s": "secondPrevious",
};

/** Converts a response in JSON to local names of fields, as generated code has them. Bytes stay in Base64. */
export function fromJsonNames(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(fromJsonNames);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = Object.entries(value).map(([name, member]) => [
    RENAMED[name] ?? name.replaceAll(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()),
    fromJsonNames(member),
  ]);
  return Object.fromEntries(members);
}

/** Converts a request with local names of fields to JSON. */
export function toJsonNames(request: object): object {
  const members = Object.entries(request).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    // JSON has no NaN, and the service rejects the text.
    Number.isNaN(value) ? "NaN" : value,
  ]);
  return Object.fromEntries(members);
}
