import type { JsonValue } from "@bufbuild/protobuf";

// The subset of OpenAPI 3.1 that the documents use, and what it becomes in 3.0:
// https://spec.openapis.org/oas/v3.1.1.html, https://spec.openapis.org/oas/v3.0.4.html

export interface OpenApiDocument {
  readonly openapi: "3.1.1" | "3.0.4";
  readonly info: OpenApiInfo;
  readonly servers: readonly OpenApiServer[];
  /** `x-displayName` is the name for people, as some viewers read it, the API reference included. */
  readonly tags: readonly {
    readonly name: string;
    readonly description?: string;
    readonly "x-displayName"?: string;
  }[];
  /** Operations by path and HTTP method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** The default of operations; empty if requests need no authentication. */
  readonly security: readonly SecurityRequirement[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters?: Readonly<Record<string, OperationParameter>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

/** A server of an API. https://spec.openapis.org/oas/v3.1.1.html#server-object */
export interface OpenApiServer {
  /** A relative URL is resolved against the URL of the document. It can have variables in braces. */
  readonly url: string;
  readonly description?: string;
  /** The variables in the URL, by name. */
  readonly variables?: Readonly<Record<string, ServerVariable>>;
}

/** A variable in the URL of a server. */
export interface ServerVariable {
  readonly default: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

/** A way to authenticate. https://spec.openapis.org/oas/v3.1.1.html#security-scheme-object */
export type SecurityScheme = { readonly description?: string } & (
  | {
      readonly type: "http";
      /** A name of IANA's registry, for example `bearer` or `basic`. */
      readonly scheme: string;
      /** What a bearer token is, for example `JWT`. */
      readonly bearerFormat?: string;
    }
  | { readonly type: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "oauth2"; readonly flows: Readonly<Record<string, OAuthFlow>> }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string }
  | { readonly type: "mutualTLS" }
);

/** A flow of OAuth 2.0: `implicit`, `password`, `clientCredentials` or `authorizationCode`. */
export interface OAuthFlow {
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly refreshUrl?: string;
  /** Descriptions of scopes by name. */
  readonly scopes: Readonly<Record<string, string>>;
}

/** Security schemes by name, with their scopes. A request meets all of them. Of several requirements, it meets one. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** Descriptions are in CommonMark. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** `identifier` is an SPDX expression; OpenAPI 3.0 has only `url`. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** An operation can have extensions besides its own members. */
export interface Operation extends Extensions {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** In place of the default of the document. */
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly (OperationParameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface OperationParameter extends Exemplified {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** Of an object in the query: a parameter for each member, `labels[color]=red`. */
  readonly style?: "deepObject";
  readonly explode?: true;
  readonly schema: Schema;
}

/** `content` is by media type. */
export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly links?: Readonly<Record<string, Link>>;
}

/** A call that the response has parameters for. A value is a constant or a runtime expression, such as `$response.body#/id`. */
export interface Link {
  readonly operationId: string;
  /** Parameters in the path and the query, by name. */
  readonly parameters?: Readonly<Record<string, JsonValue>>;
  readonly requestBody?: JsonValue;
}

/** A body of one media type; any bytes without a schema. */
export interface MediaType extends Exemplified {
  readonly schema?: Schema;
}

/** Examples by name. Examples of one call have the same name in parameters, body and response. */
export interface Exemplified {
  readonly examples?: Readonly<Record<string, { readonly value: JsonValue }>>;
}

/** Extensions, which generators and gateways read. https://spec.openapis.org/oas/v3.1.1.html#specification-extensions */
export interface Extensions {
  readonly [name: `x-${string}`]: JsonValue;
}

/** A reference to a component of the document. */
export interface Reference {
  readonly $ref: string;
}

/** A JSON Schema (2020-12), or that of OpenAPI 3.0. */
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
  /** Of OpenAPI 3.0. */
  readonly example?: JsonValue;
  /** Of OpenAPI 3.0. */
  readonly nullable?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** In OpenAPI 3.0, whether `minimum` is excluded. */
  readonly exclusiveMinimum?: number | boolean;
  /** In OpenAPI 3.0, whether `maximum` is excluded. */
  readonly exclusiveMaximum?: number | boolean;
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
}
