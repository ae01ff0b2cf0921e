import { foldText } from "./fold-text.js";

/** What of a state is looked at. */
interface FilteredState {
  readonly code: string;
  readonly name: string;
  readonly nativeName: string;
  readonly type: string;
  readonly parent: string;
}

/** The states of which each word of a text is the beginning of some word, in their order. Case and diacritics do not count. */
export function filterStates<T extends FilteredState>(states: readonly T[], text: string): T[] {
  const words = foldText(text).split(" ");
  return states.filter(({ code, name, nativeName, type, parent }) => {
    const all = ` ${foldText([code, name, nativeName, type, parent].join(" "))}`;
    return words.every((word) => all.includes(` ${word}`));
  });
}
