import { drawsFlags, flagEmoji } from "./flags.js";

/** The flag of a country by its alpha-2 code, or the code itself where the browser does not draw flags. */
export function Flag({ code }: { readonly code: string }) {
  const isDrawn = browserDrawsFlags();
  // Hidden from screen readers: the name of the country is next to it.
  return (
    <span class={isDrawn ? "flag" : "flag flag-code"} aria-hidden="true">
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
