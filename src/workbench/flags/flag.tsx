import { flagEmoji } from "./flag-emoji.js";
import "./flag.css";

interface FlagProps {
  /** The alpha-2 code of the country. */
  readonly code: string;
  /** Whether flags are drawn here: see `useDrawsFlags`. */
  readonly isDrawn: boolean;
}

/** The flag of a country, or its code where flags are not drawn. It is for the eye: the name stands beside it. */
export function Flag({ code, isDrawn }: FlagProps) {
  return (
    <span class={isDrawn ? "flag" : "flag flag-code"} aria-hidden="true">
      {isDrawn ? flagEmoji(code) : code}
    </span>
  );
}
