/** Makes text stand out, or leaves it as it is. */
export interface Style {
  readonly isColoured: boolean;
  bold(text: string): string;
  dim(text: string): string;
  alert(text: string): string;
}

/** What decides on colours. */
type ColourEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Whether a stream gets colours: a terminal does, unless NO_COLOR is set or it is a dumb one; FORCE_COLOR, which is stronger,
 * says yes or, with `0` or `false`, no.
 * https://no-color.org, https://force-color.org
 */
export function hasColours(isTerminal: boolean, env: ColourEnvironment): boolean {
  const { FORCE_COLOR: force = "", NO_COLOR: no = "", TERM: terminal } = env;
  if (force !== "") {
    return force !== "0" && force !== "false";
  }
  return isTerminal && no === "" && terminal !== "dumb";
}

/** Makes the style of a stream, of the escape sequences that every terminal knows (ECMA-48, SGR). */
export function createStyle(isColoured: boolean): Style {
  const sgr = (on: number, off: number) => (text: string) =>
    isColoured && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { isColoured, bold: sgr(1, 22), dim: sgr(2, 22), alert: sgr(31, 39) };
}
