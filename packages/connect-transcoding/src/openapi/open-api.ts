import type { JsonValue } from "@bufbuild/protobuf";

// The parts of OpenAPI 3.1 that documents here are made of: https://spec.openapis.org/oas/v3.1.1.html

/** A document: everything that can be called over HTTP, and how. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: OpenApiInfo;
  /** Where the API is; a relative URL counts from where the document is. */
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  /** Operations by path and, in lower case, HTTP method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Names of security schemes, any one of which will do. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

/** A way for callers to say who they are. */
export type SecurityScheme =
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string }
  | { readonly type: "apiKey"; readonly in: "header"; readonly name: string; readonly description: string };

/** What the whole API is. Descriptions are in CommonMark. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly license?: { readonly name: string; readonly identifier: string };
}

/** What a path and an HTTP method do. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

/** A parameter in the path or in the query. */
export interface Parameter extends Exemplified {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** The bodies that a request can have, by media type. */
export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

/** An answer with one status. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** A body of one media type. Without a schema: any octets. */
export interface MediaType extends Exemplified {
  readonly schema?: Schema;
}

/** Examples by name; what has the same name belongs together. */
export interface Exemplified {
  readonly examples?: Readonly<Record<string, { readonly value: JsonValue }>>;
}

/** Stands for a component of the document. */
export interface Reference {
  readonly $ref: string;
}

/** A JSON Schema (2020-12), as far as it is of use here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly contentEncoding?: "base64";
  readonly pattern?: string;
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly deprecated?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
}

/** Gives values by their names. */
export function exemplify(values: ReadonlyMap<string, JsonValue>): Exemplified {
  return values.size === 0
    ? {}
    : { examples: Object.fromEntries([...values].map(([name, value]) => [name, { value }])) };
}
