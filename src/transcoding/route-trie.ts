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
