import { foldText } from "../../../text/fold-text.js";

/** The fields of a state that are searched. */
type SearchedState = Readonly<Record<"code" | "name" | "nativeName" | "type" | "parent", string>>;

/** Returns the states in which each word of a text starts a word, in their order. Ignores case and diacritics. */
export function filterStates<T extends SearchedState>(states: readonly T[], text: string): T[] {
  const words = foldText(text).split(" ");
  return states.filter(({ code, name, nativeName, type, parent }) => {
    const all = ` ${foldText([code, name, nativeName, type, parent].join(" "))}`;
    return words.every((word) => all.includes(` ${word}`));
  });
}
