import type { DescMethod } from "@bufbuild/protobuf";
import type { BindingOptions } from "./binding-options.js";
import { methodNotAllowed, routeNotFound } from "./http-error.js";
import { type HttpBinding, readHttpBindings } from "./http-rule.js";
import { type BoundRequest, compileMethodGroup, type MethodGroup } from "./method-group.js";
import type { RequestContent } from "./request-content.js";
import { readPath, splitTarget } from "./request-path.js";
import { createRouteTrie } from "./route-trie.js";

/** What a request's method and target led to; what is left is to read its body. */
export interface Route extends Pick<MethodGroup, "headers"> {
  /** Makes the request a message, or throws an RpcError with everything that is wrong with it. */
  bind(content: Omit<RequestContent, "query">): BoundRequest;
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
  const trie = createRouteTrie<Map<string, HttpBinding[]>>();
  const slots = new Set<HttpBinding[]>();
  for (const binding of bindings) {
    const byVerb = trie.insert(binding.template, () => new Map());
    const slot = byVerb.get(binding.verb) ?? [];
    byVerb.set(binding.verb, slot);
    slots.add(slot);
    slot.push(binding);
  }
  const groups = new Map([...slots].map((slot) => [slot, compileMethodGroup(slot, options)]));

  /** What is at a path. Once a template has the path with its verb split off, the colon is no mere character. */
  function match(path: string) {
    for (const reading of readPath(path, trie.verbs)) {
      const found = [...trie.match(reading.segments, reading.verb)];
      if (found.length > 0) {
        return { reading, found };
      }
    }
    throw routeNotFound();
  }

  const allowedOf = (found: readonly ReadonlyMap<string, unknown>[]): string[] => {
    const verbs = new Set(found.flatMap((byVerb) => [...byVerb.keys()]));
    const named = verbs.delete(ANY_VERB) ? [...COMMON_VERBS, ...verbs] : [...verbs];
    return [...new Set([...named, ...(named.includes("GET") ? ["HEAD"] : []), "OPTIONS"])];
  };

  return {
    bindings,
    allowedMethods: (target) => allowedOf(match(splitTarget(target).path).found),
    find: (verb, target) => {
      const { path, query } = splitTarget(target);
      const { reading, found } = match(path);
      for (const byVerb of found) {
        const slot =
          byVerb.get(verb) ?? (verb === "HEAD" ? byVerb.get("GET") : undefined) ?? byVerb.get(ANY_VERB);
        const group = slot && groups.get(slot);
        if (group !== undefined) {
          return { headers: group.headers, bind: (content) => group.bind(reading, { ...content, query }) };
        }
      }
      throw methodNotAllowed(allowedOf(found));
    },
  };
}
