/** A flag of a command. */
export interface Flag {
  /** Both dashes included: `--digits`. */
  readonly name: `--${string}`;
  /** One dash and one letter; undefined: there is no short form. */
  readonly short?: `-${string}`;
  /** The word that stands for the value in help, in capitals; undefined: the flag takes none. */
  readonly placeholder: string | undefined;
  /** What it says, in one sentence or more. */
  readonly meaning: string;
  /** The values that there are, for completion; undefined: any text. */
  readonly choices?: readonly string[];
  /** Whether a value is the path of a file, for completion. */
  readonly isPath?: boolean;
  /** Whether it may be given more than once. */
  readonly isRepeated?: boolean;
}
