import type { PathTemplate } from "./rules/path-template.js";

/** Values by path template. */
export interface RouteTrie<T> {
  /** Returns the value of a template; calls `make` if there is none. Names of variables are not compared. */
  insert(template: PathTemplate, make: () => T): T;
  /** The custom verbs of all templates. */
  readonly verbs: ReadonlySet<string>;
  /**
   * The values of all templates that match a path, the most specific first: segment by segment from the left, a literal
   * before `*` before `**`, and then what follows `**` in the same way from the right. `segments` are percent-decoded; `verb`
   * is empty for a path without a custom verb.
   */
  match(segments: readonly string[], verb: string): readonly T[];
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  wildcard: Node<T> | undefined;
  /** The values of templates that end here, by custom verb. */
  readonly ends: Map<string, T>;
  /** What can follow `**` here, the most specific first. */
  readonly tails: Tail<T>[];
}

/** The segments of templates after `**`; undefined for `*`. */
interface Tail<T> {
  readonly segments: readonly (string | undefined)[];
  /** The values of templates, by custom verb. */
  readonly ends: Map<string, T>;
}

/** Creates an empty trie. */
export function createRouteTrie<T>(): RouteTrie<T> {
  const root = createNode<T>();
  const verbs = new Set<string>();

  function insert(template: PathTemplate, make: () => T): T {
    const rest = template.segments.findIndex(({ kind }) => kind === "rest");
    const literals = template.segments.map((segment) =>
      segment.kind === "literal" ? segment.value : undefined,
    );
    const node = literals.slice(0, rest === -1 ? undefined : rest).reduce(child<T>, root);
    const { ends } = rest === -1 ? node : tailOf(node, literals.slice(rest + 1));
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
  return { literals: new Map(), wildcard: undefined, ends: new Map(), tails: [] };
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

function tailOf<T>(node: Node<T>, segments: Tail<T>["segments"]): Tail<T> {
  const known = node.tails.find((tail) => rankTails(tail.segments, segments) === 0);
  const tail = known ?? { segments, ends: new Map<string, T>() };
  if (known === undefined) {
    node.tails.push(tail);
    node.tails.sort((a, b) => rankTails(a.segments, b.segments));
  }
  return tail;
}

/** Compares what follows `**`, segment by segment from the end: a literal before `*` before `**`. */
function rankTails(a: Tail<unknown>["segments"], b: Tail<unknown>["segments"]): number {
  for (let distance = 1; distance <= Math.max(a.length, b.length); distance++) {
    const [first, second] = [rankFromEnd(a, distance), rankFromEnd(b, distance)];
    if (first !== second) {
      return first < second ? -1 : 1;
    }
  }
  return 0;
}

/** A text that sorts by the rank of a segment; literals among themselves in any fixed order. */
function rankFromEnd(segments: Tail<unknown>["segments"], distance: number): string {
  const literal = segments.at(-distance);
  return distance > segments.length ? "2" : literal === undefined ? "1" : `0${literal}`;
}

function endsWith(segments: readonly string[], { segments: tail }: Tail<unknown>): boolean {
  const start = segments.length - tail.length;
  return tail.every((literal, index) =>
    literal === undefined ? segments[start + index] !== "" : segments[start + index] === literal,
  );
}

/** Adds all matches below a node to `found`. */
function walk<T>(node: Node<T>, segments: readonly string[], index: number, verb: string, found: T[]): void {
  const segment = segments[index];
  if (segment === undefined) {
    addPresent(found, node.ends.get(verb));
  } else {
    const literal = node.literals.get(segment);
    if (literal !== undefined) {
      walk(literal, segments, index + 1, verb, found);
    }
    // `*` matches one segment, but not an empty one.
    if (node.wildcard !== undefined && segment !== "") {
      walk(node.wildcard, segments, index + 1, verb, found);
    }
  }
  // `**` matches any number of segments, including none.
  for (const tail of node.tails) {
    if (index + tail.segments.length <= segments.length && endsWith(segments, tail)) {
      addPresent(found, tail.ends.get(verb));
    }
  }
}

function addPresent<T>(found: T[], value: T | undefined): void {
  if (value !== undefined) {
    found.push(value);
  }
}
