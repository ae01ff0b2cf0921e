import type { DescMethod } from "@bufbuild/protobuf";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import { readJsonForm } from "../codec/json/form.js";
import { methodNotAllowed, routeNotFound } from "../errors/http-error.js";
import { httpOptionsOf, type MethodOptions } from "../proto-options.js";
import { BINDING_OPTIONS } from "./binding/message-binder.js";
import type { ArrivingRequest } from "./binding/message-stream.js";
import type { RequestContent } from "./binding/request-parameters.js";
import { type PathReading, readPath } from "./binding/request-path.js";
import type { MethodGroupOptions } from "./compiled-binding.js";
import { type BoundRequest, type BoundStream, compileMethodGroup, type MethodGroup } from "./method-group.js";
import { pathSuggestions } from "./path-suggestions.js";
import { createRouteTrie } from "./route-trie.js";
import { ambiguous } from "./rules/binding-group.js";
import { bindingsOf, type HttpBinding, methodName } from "./rules/http-rule.js";
import { type HttpRules, ruleFinder } from "./rules/http-rules.js";
import type { PathTemplate } from "./rules/path-template.js";
import { methodPath } from "./served-methods.js";

/** The route of a request. */
export interface Route extends Pick<MethodGroup, "errorHeaders" | "headers" | "methods" | "takesBody"> {
  /** Binds the request to a message. Throws a ConnectError, with all violations. */
  bind(content: RequestContent): BoundRequest;
  /** The same for a method that takes a stream of messages; undefined for others. */
  readonly bindStream: ((request: ArrivingRequest) => BoundStream) | undefined;
}

/** The routes of a set of methods, from their `google.api.http` rules. */
export interface RouteTable {
  /**
   * Finds the route of a request. `query` excludes the `?`. Routes for GET match HEAD as well. Throws a ConnectError with the HTTP status 400 for
   * a malformed path, 404 for an unknown one, 405 if the path has only other HTTP methods.
   */
  find(httpMethod: string, path: string, query: string): Route;
  /** The HTTP methods of a path. Throws a ConnectError: 400 or 404. */
  allowedMethods(path: string): string[];
  /** Whether a method at a path takes a stream of messages. */
  takesStream(path: string): boolean;
  /** Whether a rule names an HTTP method and its template matches a path. Throws a ConnectError: 400 or 404. */
  hasRule(httpMethod: string, path: string): boolean;
  /** The HTTP methods of all routes; undefined if a route accepts all of them. */
  readonly httpMethods: ReadonlySet<string> | undefined;
  /** All bindings, in the order of their methods. */
  readonly bindings: readonly HttpBinding[];
}

/** Options of {@link createRouteTable}. */
export interface RouteTableOptions extends MethodGroupOptions {
  /** Rules that override those in the proto files. */
  readonly rules?: HttpRules | undefined;
  /** Options that override those in the proto files. */
  readonly methodOptions?: MethodOptions | undefined;
  /**
   * How to treat a route that cannot be served, because its rule is invalid, conflicts with an earlier one, or belongs to a
   * method that takes a stream. "throw", the default, throws one Error that lists them all, with the methods. "skip" leaves
   * that route out; the method keeps its other routes, and is served in the other protocols.
   */
  readonly unsupported?: "throw" | "skip" | undefined;
  /** Called with the method and the reason for each route that "skip" leaves out. */
  readonly onUnsupported?: ((method: DescMethod, error: Error) => void) | undefined;
}

const ROUTE_TABLE_OPTIONS: OptionNames<RouteTableOptions> = {
  unexpectedBodies: true,
  untypedBodies: true,
  ...BINDING_OPTIONS,
  json: true,
  systemParameters: true,
  updateMasks: true,
  rules: true,
  methodOptions: true,
  unsupported: true,
  onUnsupported: true,
};

/** The methods at one shape of path, by HTTP method. */
type Endpoint = Map<string, MethodGroup>;

/** The reading of a path that matches, and its endpoints, the most specific first. */
interface Match {
  readonly reading: PathReading;
  readonly endpoints: readonly Endpoint[];
}

/** The kind of a custom pattern that accepts every HTTP method. */
const ANY_METHOD = "*";

/** The HTTP methods that lists show for {@link ANY_METHOD}. */
const COMMON_METHODS = ["GET", "PUT", "POST", "PATCH", "DELETE"];

/**
 * Creates the route table of a set of methods; those without a rule have no route. Throws an UnknownOptionError, an Error that lists all invalid
 * rules and conflicts, unless `unsupported` is "skip", and one that names the selector if one of `rules` selects another
 * method.
 */
export function createRouteTable(methods: Iterable<DescMethod>, given: RouteTableOptions): RouteTable {
  const options = knownOptions("createRouteTable", given, ROUTE_TABLE_OPTIONS);
  readJsonForm(options.json);
  const all = [...methods];
  const ruleOf = ruleFinder(all, options.rules);
  const errors: Error[] = [];
  const skip = (method: DescMethod, thrown: unknown): void => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    errors.push(error);
    if (options.unsupported === "skip") {
      options.onUnsupported?.(method, error);
    }
  };
  const byPath = new Map(all.map((method) => [methodPath(method), method]));
  const read = all
    .flatMap((method) =>
      bindingsOf(method, ruleOf(method), httpOptionsOf(method, options.methodOptions), (error) =>
        skip(method, error),
      ),
    )
    .filter((binding) => {
      const hidden = hiddenBy(binding, byPath);
      if (hidden !== undefined) {
        skip(binding.method, hidden);
      }
      return hidden === undefined;
    });
  const trie = createRouteTrie<Endpoint>();
  const supported = new Set<HttpBinding>();
  const openEnded = new Map<string, HttpBinding>();
  // Of routes that conflict, one with streams in both directions is left out: Google's servers have no such routes.
  const inOrder = read.toSorted((a, b) => Number(isConversation(a)) - Number(isConversation(b)));
  for (const group of groupsOf(inOrder)) {
    const rival = rivalOf(group, openEnded);
    if (rival !== undefined) {
      for (const binding of group) {
        skip(binding.method, ambiguous(rival, binding));
      }
      continue;
    }
    const { compiled, kept } = compileValid(group, options, skip);
    const [first] = kept;
    if (first !== undefined && compiled !== undefined) {
      trie.insert(first.template, () => new Map()).set(first.httpMethod, compiled);
    }
    for (const binding of kept) {
      supported.add(binding);
    }
  }
  if (options.unsupported !== "skip") {
    throwAll(errors);
  }
  const bindings = read.filter((binding) => supported.has(binding));

  /** A template with a custom verb takes precedence over one that matches the colon as an ordinary character. */
  function search(path: string): Match | undefined {
    for (const reading of readPath(path, trie.verbs)) {
      const endpoints = trie.match(reading.segments, reading.verb);
      if (endpoints.length > 0) {
        return { reading, endpoints };
      }
    }
    return undefined;
  }

  // Routes without variables match one path each, so that the match is known in advance.
  const fixedPaths = new Map<string, Match>();
  for (const path of bindings.flatMap(({ template }) => fixedPathOf(template))) {
    const match = search(path);
    if (match !== undefined) {
      fixedPaths.set(path, match);
    }
  }

  const nearestPaths = pathSuggestions([...fixedPaths.keys()]);

  function match(path: string): Match {
    const found = fixedPaths.get(path) ?? search(path);
    if (found === undefined) {
      throw routeNotFound(nearestPaths(path));
    }
    return found;
  }

  const httpMethods = new Set(bindings.map(({ httpMethod }) => httpMethod));
  return {
    bindings,
    httpMethods: httpMethods.has(ANY_METHOD) ? undefined : httpMethods,
    allowedMethods: (path) => allowedMethods(match(path).endpoints),
    takesStream: (path) => {
      try {
        return match(path).endpoints.some((groups) =>
          [...groups.values()].some(({ takesStream }) => takesStream),
        );
      } catch {
        return false;
      }
    },
    hasRule: (httpMethod, path) => match(path).endpoints.some((groups) => groups.has(httpMethod)),
    find: (httpMethod, path, query) => {
      const { reading, endpoints } = match(path);
      for (const groups of endpoints) {
        const group =
          groups.get(httpMethod) ??
          (httpMethod === "HEAD" ? groups.get("GET") : undefined) ??
          groups.get(ANY_METHOD);
        if (group !== undefined) {
          return {
            methods: group.methods,
            headers: group.headers,
            errorHeaders: group.errorHeaders,
            takesBody: group.takesBody,
            bind: (content) => group.bind(reading, query, content),
            bindStream: group.takesStream
              ? (request) => group.bindStream(reading, query, request)
              : undefined,
          };
        }
      }
      throw methodNotAllowed(allowedMethods(endpoints));
    },
  };
}

/**
 * The Error for a rule at the path of a method, `/package.Service/Method`, where Connect serves all requests. Undefined for any other rule, and
 * for the rule that says what Connect does: POST, with the request and the response as bodies.
 */
function hiddenBy(
  { method, httpMethod, template, body, responseBody }: HttpBinding,
  byPath: ReadonlyMap<string, DescMethod>,
): Error | undefined {
  const [path = ""] = fixedPathOf(template);
  const owner = byPath.get(path);
  const isSame =
    owner === method &&
    method.methodKind === "unary" &&
    httpMethod === "POST" &&
    (body.kind === "message" || body.kind === "value") &&
    !body.raw &&
    responseBody === undefined;
  return owner === undefined || isSame
    ? undefined
    : new Error(
        `${methodName(method)}: no request can reach ${httpMethod} ${path}, the path of ${methodName(owner)} in gRPC and Connect`,
      );
}

function isConversation({ method }: HttpBinding): boolean {
  return method.methodKind === "bidi_streaming";
}

/** Throws the only one of some errors, or one with the messages of all. */
function throwAll(errors: readonly Error[]): void {
  const [first, ...others] = errors;
  if (first !== undefined) {
    const messages = new Set(errors.map(({ message }) => message));
    throw others.length === 0 ? first : new AggregateError(errors, [...messages].join("\n"));
  }
}

/** Bindings with the same HTTP method and the same template, apart from the names of its variables. */
function groupsOf(bindings: readonly HttpBinding[]): Iterable<HttpBinding[]> {
  const groups = new Map<string, HttpBinding[]>();
  for (const binding of bindings) {
    const { httpMethod, template } = binding;
    const key = JSON.stringify([httpMethod, template.segments, template.verb]);
    groups.set(key, [...(groups.get(key) ?? []), binding]);
  }
  return groups.values();
}

/**
 * The binding of an earlier group that matches nearly the same paths: both have the same segments before `**`, and only
 * wildcards after it. Adds the group to `openEnded` otherwise.
 */
function rivalOf(
  [first]: readonly HttpBinding[],
  openEnded: Map<string, HttpBinding>,
): HttpBinding | undefined {
  const segments = first?.template.segments ?? [];
  const rest = segments.findIndex(({ kind }) => kind === "rest");
  if (first === undefined || rest === -1 || segments.slice(rest).some(({ kind }) => kind === "literal")) {
    return undefined;
  }
  const key = JSON.stringify([first.httpMethod, segments.slice(0, rest), first.template.verb]);
  const rival = openEnded.get(key);
  openEnded.set(key, rival ?? first);
  return rival;
}

/** Compiles bindings one by one, so that `skip` is called with each one that is invalid or conflicts with an earlier one. */
function compileValid(
  group: readonly HttpBinding[],
  options: MethodGroupOptions,
  skip: (method: DescMethod, error: unknown) => void,
): { readonly compiled: MethodGroup | undefined; readonly kept: readonly HttpBinding[] } {
  let compiled: MethodGroup | undefined;
  const kept: HttpBinding[] = [];
  for (const binding of group) {
    try {
      compiled = compileMethodGroup([...kept, binding], options);
      kept.push(binding);
    } catch (error) {
      skip(binding.method, error);
    }
  }
  return { compiled, kept };
}

/** The path of a template without variables and wildcards; none if the path needs percent-encoding. */
function fixedPathOf({ segments, verb }: PathTemplate): string[] {
  const literals = segments.flatMap((segment) => (segment.kind === "literal" ? [segment.value] : []));
  const path = `/${literals.join("/")}${verb === "" ? "" : `:${verb}`}`;
  return literals.length < segments.length || path.includes("%") ? [] : [path];
}

/** The HTTP methods of endpoints, for the `Allow` header. */
function allowedMethods(endpoints: readonly Endpoint[]): string[] {
  const methods = new Set(endpoints.flatMap((groups) => [...groups.keys()]));
  const named = methods.delete(ANY_METHOD) ? [...COMMON_METHODS, ...methods] : [...methods];
  return [...new Set([...named, ...(named.includes("GET") ? ["HEAD"] : []), "OPTIONS"])];
}
