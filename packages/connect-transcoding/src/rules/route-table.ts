import type { DescMethod } from "@bufbuild/protobuf";
import { methodNotAllowed, routeNotFound } from "../errors/http-error.js";
import type { BindingOptions } from "../request/message-binder.js";
import type { RequestContent } from "../request/request-content.js";
import { type PathReading, readPath, splitTarget } from "../request/request-path.js";
import { type HttpBinding, readHttpBindings } from "./http-rule.js";
import { type BoundRequest, compileMethodGroup, type MethodGroup } from "./method-group.js";
import type { PathTemplate } from "./path-template.js";

/** Values by path template, found by path. */
export interface RouteTrie<T> {
  /** The value at the template's shape; makes it with `make` where there is none yet. */
  insert(template: PathTemplate, make: () => T): T;
  /** The verbs that templates have, the empty one not among them. */
  readonly verbs: ReadonlySet<string>;
  /**
   * The values whose templates match a path with a verb (empty: without one), the most specific first: a literal
   * before `*` before `**`, segment by segment from the left. `segments` are percent-decoded.
   */
  match(segments: readonly string[], verb: string): readonly T[];
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  wildcard: Node<T> | undefined;
  /** Values of templates that end here, and of those that end here with `**`, by verb. */
  readonly ends: Map<string, T>;
  readonly restEnds: Map<string, T>;
}

/** Makes an empty trie. */
export function createRouteTrie<T>(): RouteTrie<T> {
  const root = createNode<T>();
  const verbs = new Set<string>();

  function insert(template: PathTemplate, make: () => T): T {
    let node = root;
    let ends = node.ends;
    for (const segment of template.segments) {
      if (segment.kind === "rest") {
        ends = node.restEnds;
        break;
      }
      node = child(node, segment.kind === "literal" ? segment.value : undefined);
      ends = node.ends;
    }
    if (template.verb !== "") {
      verbs.add(template.verb);
    }
    const value = ends.get(template.verb) ?? make();
    ends.set(template.verb, value);
    return value;
  }

  function match(segments: readonly string[], verb: string): readonly T[] {
    const found: T[] = [];
    walk(root, segments, 0, verb, found);
    return found;
  }

  return { insert, verbs, match };
}

function createNode<T>(): Node<T> {
  return { literals: new Map(), wildcard: undefined, ends: new Map(), restEnds: new Map() };
}

function child<T>(node: Node<T>, literal: string | undefined): Node<T> {
  if (literal === undefined) {
    node.wildcard ??= createNode();
    return node.wildcard;
  }
  const next = node.literals.get(literal) ?? createNode<T>();
  node.literals.set(literal, next);
  return next;
}

/** Adds what matches from a node on to what was found before. */
function walk<T>(node: Node<T>, segments: readonly string[], index: number, verb: string, found: T[]): void {
  const segment = segments[index];
  if (segment === undefined) {
    addPresent(found, node.ends.get(verb));
  } else {
    const literal = node.literals.get(segment);
    if (literal !== undefined) {
      walk(literal, segments, index + 1, verb, found);
    }
    // `*` stands for one segment that is not empty.
    if (node.wildcard !== undefined && segment !== "") {
      walk(node.wildcard, segments, index + 1, verb, found);
    }
  }
  // `**` stands for any number of segments, none included.
  addPresent(found, node.restEnds.get(verb));
}

function addPresent<T>(found: T[], value: T | undefined): void {
  if (value !== undefined) {
    found.push(value);
  }
}

/** What a request's method and target led to; what is left is to read its body. */
export interface Route extends Pick<MethodGroup, "headers" | "methods"> {
  /** Makes the request a message, or throws an RpcError with everything that is wrong with it. */
  bind(content: RequestContent): BoundRequest;
}

/** HTTP requests to messages and back, by the `google.api.http` rules of a set of methods. */
export interface Transcoder {
  /**
   * Finds the route of an HTTP method (HEAD stands for GET) and a request target. Throws an HttpError: 400 for a
   * malformed path, 404 when nothing is there, 405 when something is, with other methods.
   */
  find(verb: string, target: string): Route;
  /** The HTTP methods that a target takes; throws a 400 or 404 HttpError. */
  allowedMethods(target: string): string[];
  /** All bindings, in the order of their methods. */
  readonly bindings: readonly HttpBinding[];
}

/** What is at one shape of path: bindings, and the groups that they are compiled to, by HTTP method. */
interface Endpoint {
  readonly bindings: Map<string, HttpBinding[]>;
  readonly groups: Map<string, MethodGroup>;
}

/** How a path is read, and what is there then, the most specific first. */
interface Match {
  readonly reading: PathReading;
  readonly found: readonly Endpoint[];
}

/** The kind of a custom pattern that takes every HTTP method. */
const ANY_VERB = "*";

/** What stands for every HTTP method where they are listed. */
const COMMON_VERBS = ["GET", "PUT", "POST", "PATCH", "DELETE"];

/**
 * Makes the transcoder of a set of methods; those without a rule are passed over. Throws an Error that names the
 * methods when their rules contradict their messages or one another.
 */
export function createTranscoder(methods: Iterable<DescMethod>, options: BindingOptions): Transcoder {
  const bindings = [...methods].flatMap(readHttpBindings);
  const trie = createRouteTrie<Endpoint>();
  const endpoints = new Set<Endpoint>();
  for (const binding of bindings) {
    const endpoint = trie.insert(binding.template, () => ({ bindings: new Map(), groups: new Map() }));
    endpoints.add(endpoint);
    endpoint.bindings.set(binding.verb, [...(endpoint.bindings.get(binding.verb) ?? []), binding]);
  }
  for (const endpoint of endpoints) {
    for (const [verb, group] of endpoint.bindings) {
      endpoint.groups.set(verb, compileMethodGroup(group, options));
    }
  }

  /** What is at a path. Once a template has the path with its verb split off, the colon is no mere character. */
  function search(path: string): Match | undefined {
    for (const reading of readPath(path, trie.verbs)) {
      const found = trie.match(reading.segments, reading.verb);
      if (found.length > 0) {
        return { reading, found };
      }
    }
    return undefined;
  }

  // Most routes have one path, whose match is known as soon as all routes are.
  const known = new Map<string, Match>();
  for (const path of bindings.flatMap(({ template }) => onlyPathOf(template))) {
    const match = search(path);
    if (match !== undefined) {
      known.set(path, match);
    }
  }

  function match(path: string): Match {
    const found = known.get(path) ?? search(path);
    if (found === undefined) {
      throw routeNotFound();
    }
    return found;
  }

  return {
    bindings,
    allowedMethods: (target) => allowedMethods(match(splitTarget(target).path).found),
    find: (verb, target) => {
      const { path, query } = splitTarget(target);
      const { reading, found } = match(path);
      for (const { groups } of found) {
        const group =
          groups.get(verb) ?? (verb === "HEAD" ? groups.get("GET") : undefined) ?? groups.get(ANY_VERB);
        if (group !== undefined) {
          return {
            methods: group.methods,
            headers: group.headers,
            bind: (content) => group.bind(reading, query, content),
          };
        }
      }
      throw methodNotAllowed(allowedMethods(found));
    },
  };
}

/** The path of a template without variables and wildcards, where it can be written as it is. */
function onlyPathOf({ segments, verb }: PathTemplate): string[] {
  const literals = segments.flatMap((segment) => (segment.kind === "literal" ? [segment.value] : []));
  const path = `/${literals.join("/")}${verb === "" ? "" : `:${verb}`}`;
  return literals.length < segments.length || path.includes("%") ? [] : [path];
}

/** The HTTP methods that endpoints take, as `Allow` lists them. */
function allowedMethods(endpoints: readonly Endpoint[]): string[] {
  const verbs = new Set(endpoints.flatMap(({ groups }) => [...groups.keys()]));
  const named = verbs.delete(ANY_VERB) ? [...COMMON_VERBS, ...verbs] : [...verbs];
  return [...new Set([...named, ...(named.includes("GET") ? ["HEAD"] : []), "OPTIONS"])];
}
