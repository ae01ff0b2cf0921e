/** States of one type. */
export interface StateGroup<T> {
  /** How many there are, and of what type: "96 metropolitan departments". */
  readonly title: string;
  readonly states: readonly T[];
}

/** Groups states by type: first those that are part of the country itself, then those that are part of another state. */
export function groupStates<T extends { readonly type: string; readonly parent: string }>(
  states: readonly T[],
): StateGroup<T>[] {
  const byType = new Map<string, T[]>();
  for (const state of [...states.filter(({ parent }) => parent === ""), ...states]) {
    const group = byType.get(state.type) ?? [];
    byType.set(state.type, group.includes(state) ? group : [...group, state]);
  }
  return [...byType].map(([type, group]) => ({ title: numberOf(group.length, type), states: group }));
}

/** Writes a number of states of a type; those of no known type are subdivisions. */
export function numberOf(count: number, type = ""): string {
  const [, head = "", rest = ""] = /^(.*?)((?: with| under) .*)?$/.exec(type || "subdivision") ?? [];
  return `${count} ${count === 1 ? head : pluralOf(head)}${rest}`;
}

function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun)
    ? `${noun.slice(0, -1)}ies`
    : noun.endsWith("s")
      ? noun
      : `${noun}${noun.endsWith("sh") ? "es" : "s"}`;
}
