/** The names of all options of a type, as the keys of an object. The compiler checks that none is missing. */
export type OptionNames<T> = { readonly [Name in keyof T]-?: unknown };

/** An option that a function does not know. */
export class UnknownOptionError extends TypeError {
  override readonly name = "UnknownOptionError";
  /** The unknown name. */
  readonly option: string;
  /** The function or the object with the option, for example `createServer`. */
  readonly where: string;
  /** The names that are allowed there. */
  readonly allowed: readonly string[];

  constructor(where: string, option: string, allowed: readonly string[]) {
    const similar = mostSimilar(option, allowed);
    super(
      `${where} has no option ${JSON.stringify(option)}${similar === undefined ? "" : `; did you mean ${similar}?`}` +
        `; allowed: ${allowed.join(", ")}`,
    );
    this.option = option;
    this.where = where;
    this.allowed = allowed;
  }
}

/**
 * Returns a copy of options with the known ones, those of prototypes included. Throws an UnknownOptionError for any other, also if it is
 * undefined: a misspelled check of requests must not let them pass.
 *
 * @param where names the function or the object in the error
 */
export function knownOptions<T extends object>(where: string, options: T, names: OptionNames<T>): T {
  for (const name in options) {
    if (!Object.hasOwn(names, name)) {
      throw new UnknownOptionError(where, name, Object.keys(names));
    }
  }
  const known = (Object.keys(names) as (keyof T)[]).filter((name) => name in options);
  return Object.fromEntries(known.map((name) => [name, options[name]])) as T;
}

/** The shortest common beginning of names that are taken for one another. */
const MIN_COMMON = 3;

/** The name with the longest common beginning, in any case; the first of several. */
function mostSimilar(option: string, names: readonly string[]): string | undefined {
  const lengths = names.map((name) => commonLength(name.toLowerCase(), option.toLowerCase()));
  const longest = Math.max(...lengths);
  return longest < MIN_COMMON ? undefined : names[lengths.indexOf(longest)];
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) {
    length++;
  }
  return length;
}
