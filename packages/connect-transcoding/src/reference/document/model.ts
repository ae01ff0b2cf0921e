import { has, listOf, objectOf, resolve, textIn } from "./json.js";

/** What the sections of a page share. */
export interface ReferenceModel {
  /** The document, of which nothing is known. */
  readonly document: unknown;
  readonly operations: readonly ReferenceOperation[];
}

/** An operation of a document, with resolved references. */
export interface ReferenceOperation {
  /** The ID of the section. */
  readonly anchor: string;
  readonly operationId: string;
  /** In upper case. */
  readonly httpMethod: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** What describes no single call. */
  readonly description: string;
  readonly isDeprecated: boolean;
  readonly parameters: readonly Readonly<Record<string, unknown>>[];
  readonly body: OperationBody | undefined;
  /** By status. */
  readonly responses: readonly (readonly [status: string, response: Readonly<Record<string, unknown>>])[];
  /** At least one. */
  readonly calls: readonly OperationCall[];
}

/** A body in one media type. */
export interface OperationBody {
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly content: Readonly<Record<string, unknown>>;
}

/** A use of an operation: one of several methods on a path, or an example. */
export interface OperationCall {
  /** The name of its examples; empty without any. */
  readonly name: string;
  readonly anchor: string;
  /** What the description says of this call alone: then the call is a method. */
  readonly description: string;
}

const HTTP_METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/** IDs of other parts of the page. */
const RESERVED = ["main", "start", "errors", "types", "index", "api-key", "filter"];

/** Reads what a page shows of a document. */
export function readReference(document: unknown): ReferenceModel {
  const found = Object.entries(objectOf(objectOf(document).paths)).flatMap(([path, value]) => {
    const item = resolve(document, value);
    return HTTP_METHODS.filter((name) => has(item, name)).map((name) => ({
      path,
      httpMethod: name.toUpperCase(),
      item,
      operation: objectOf(item[name]),
    }));
  });
  const anchors = new Set(RESERVED);
  const operations = found.map(({ path, httpMethod, item, operation }): ReferenceOperation => {
    const own = listOf(operation.parameters).map((each) => resolve(document, each));
    const shared = listOf(item.parameters)
      .map((each) => resolve(document, each))
      .filter((each) => !own.some((other) => other.name === each.name && other.in === each.in));
    const parameters = [...shared, ...own];
    const body = bodyOf(document, operation.requestBody);
    const responses = Object.entries(objectOf(operation.responses)).map(
      ([status, response]) => [status, resolve(document, response)] as const,
    );
    const operationId = textIn(operation.operationId) || `${httpMethod.toLowerCase()}${path}`;
    const names = callNames(parameters, body, responses);
    const paragraphs = textIn(operation.description).split(/\n\n+/);
    const ownParagraph = (name: string) => paragraphs.find((each) => each.startsWith(`**${name}**`)) ?? "";
    const [only] = names;
    const isOne = names.length === 1 && only !== undefined;
    const anchor = uniqueAnchor(isOne ? only : operationId, anchors);
    const calls = (names.length === 0 ? [""] : names).map(
      (name): OperationCall => ({
        name,
        anchor: names.length < 2 ? anchor : uniqueAnchor(name, anchors),
        description: names.length < 2 ? "" : ownParagraph(name),
      }),
    );
    const described = new Set(calls.map((call) => call.description));
    return {
      anchor,
      operationId,
      httpMethod,
      path,
      tag: textIn(listOf(operation.tags)[0]),
      summary: textIn(operation.summary) || operationId,
      description: paragraphs.filter((each) => !described.has(each)).join("\n\n"),
      isDeprecated: operation.deprecated === true,
      parameters,
      body,
      responses,
      calls,
    };
  });
  return { document, operations };
}

/** The body in JSON, or else in the first media type. */
function bodyOf(document: unknown, value: unknown): OperationBody | undefined {
  const body = resolve(document, value);
  const contents = Object.entries(objectOf(body.content));
  const [mediaType, content] = contents.find(([name]) => isJson(name)) ?? contents[0] ?? [];
  return mediaType === undefined
    ? undefined
    : { mediaType, isRequired: body.required === true, content: objectOf(content) };
}

/** Whether a media type is JSON. */
export function isJson(mediaType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(mediaType);
}

function callNames(
  parameters: ReferenceOperation["parameters"],
  body: OperationBody | undefined,
  responses: ReferenceOperation["responses"],
): string[] {
  const contents = responses
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, response]) => Object.values(objectOf(response.content)));
  const exemplified = [body?.content, ...parameters, ...contents];
  return [...new Set(exemplified.flatMap((each) => Object.keys(objectOf(objectOf(each).examples))))];
}

function uniqueAnchor(name: string, anchors: Set<string>): string {
  const base = name.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-|-$/g, "") || "operation";
  let anchor = base;
  for (let count = 2; anchors.has(anchor); count++) {
    anchor = `${base}-${count}`;
  }
  anchors.add(anchor);
  return anchor;
}

/** What a link to a method says. */
interface MethodLink {
  readonly name: string;
  readonly anchor: string;
  /** What the method does. */
  readonly title: string;
  readonly verb: string;
  readonly path: string;
}

/** Returns the links to an operation: one for each call if these are methods, or one. */
export function methodsOf(operation: ReferenceOperation): readonly MethodLink[] {
  const { anchor, summary, httpMethod: verb, path, calls } = operation;
  const methods = calls.filter(({ description }) => description !== "");
  return methods.length === 0
    ? [{ name: nameOf(operation), anchor, title: summary.replace(/ \([^()]*\)$/, ""), verb, path }]
    : methods.map((call) => ({ name: call.name, anchor: call.anchor, title: titleOf(call), verb, path }));
}

/** The first sentence about a method that shares its path with others, up to a comma or a colon. */
function titleOf({ name, description }: OperationCall): string {
  const [, title] = /^\*\*.*?\*\*(?:, [^:]*)?: ([^.:,]+)/.exec(description) ?? [];
  return title ?? name;
}

/** The name of a method in that of an example: the engine appends an underscore and the representation, if there are several. */
export function methodOfExample(exampleName: string): string {
  return exampleName.replace(/(?<=.)_[^_]*$/, "");
}

/** The short name of an operation: that of its only call, or its ID. */
export function nameOf({ calls, operationId, summary }: ReferenceOperation): string {
  const [only] = calls;
  if (only !== undefined && only.name !== "") {
    const base = methodOfExample(only.name);
    if (calls.length === 1 || calls.every(({ name }) => name !== base && methodOfExample(name) === base)) {
      return calls.length === 1 ? only.name : base;
    }
  }
  return operationId.includes("/") ? summary : operationId;
}
