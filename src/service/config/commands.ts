/** Something that the service does when the first argument that is no flag says so; tools have commands of their own. */
export interface Command {
  readonly name: string;
  /** Words that stand for the arguments behind the name, all of which it takes. */
  readonly operands: readonly string[];
  /** One sentence without a capital and a full stop. */
  readonly meaning: string;
}

/** Every command; the first is what the program does when none is named. */
export const COMMANDS: readonly [Command, ...Command[]] = [
  { name: "serve", operands: [], meaning: "serves until it is stopped; so it does when no command is named" },
  { name: "make-key", operands: ["NAME"], meaning: "makes an API key; make-key --help tells how" },
];

/** What is wrong with the arguments that are no flags; undefined when nothing is. Repeats none of them. */
export function operandProblem([name, ...operands]: readonly string[]): string | undefined {
  const command = name === undefined ? COMMANDS[0] : COMMANDS.find((known) => known.name === name);
  if (command === undefined) {
    const names = COMMANDS.map((known) => known.name).join(", ");
    return `the first argument behind flags must be a command of the service: ${names}`;
  }
  if (operands.length !== command.operands.length) {
    return `${command.name} takes ${command.operands.join(" ") || "no argument"}`;
  }
  return undefined;
}
