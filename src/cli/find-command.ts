import { nearest } from "./nearest.js";

/** What the first arguments name. */
export type Found<C> =
  | { readonly kind: "command"; readonly command: C; readonly rest: readonly string[] }
  /** The first words of several commands, such as `otp`. */
  | { readonly kind: "group"; readonly commands: readonly C[]; readonly rest: readonly string[] }
  /** No command; `meant` is the name that is nearest. */
  | { readonly kind: "unknown"; readonly meant: string | undefined };

/** Finds the command that arguments begin with: the one with most words, where one has the words of another and more. */
export function findCommand<C extends { readonly name: string }>(
  args: readonly string[],
  commands: readonly C[],
): Found<C> {
  const words = (name: string) => name.split(" ");
  const [command] = commands
    .filter(({ name }) => words(name).every((word, index) => args[index] === word))
    .toSorted((a, b) => words(b.name).length - words(a.name).length);
  if (command !== undefined) {
    return { kind: "command", command, rest: args.slice(words(command.name).length) };
  }
  const [first = "", second = ""] = args;
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && (second === "" || second.startsWith("-"))) {
    return { kind: "group", commands: group, rest: args.slice(1) };
  }
  const names = commands.map(({ name }) => name);
  return { kind: "unknown", meant: nearest(`${first} ${second}`, names) ?? nearest(first, names) };
}
