import { drawsFlags, flagEmoji } from "./flags.js";

interface FlagProps {
  /** An alpha-2 code. */
  readonly code: string;
  /** Whether it is a tile beside a heading. */
  readonly isTile?: boolean;
}

/** The flag of a country, or its code where the browser does not draw flags. */
export function Flag({ code, isTile = false }: FlagProps) {
  const isDrawn = browserDrawsFlags();
  const classes = ["flag", ...(isDrawn ? [] : ["flag-code"]), ...(isTile ? ["flag-tile"] : [])];
  // Hidden from screen readers: the name of the country is next to it.
  return (
    <span class={classes.join(" ")} aria-hidden="true">
      {isDrawn ? flagEmoji(code) : code}
    </span>
  );
}

let isDrawnHere: boolean | undefined;

/** Measures once per page whether this browser draws flags. */
function browserDrawsFlags(): boolean {
  if (isDrawnHere === undefined) {
    const context = document.createElement("canvas").getContext("2d");
    isDrawnHere = context !== null && drawsFlags((text) => context.measureText(text).width);
  }
  return isDrawnHere;
}
