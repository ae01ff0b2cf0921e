import { useMemo } from "preact/hooks";
import { drawsFlags } from "./flag-emoji.js";

/** Whether this browser draws the flags of countries. */
export function useDrawsFlags(): boolean {
  return useMemo(() => {
    const context = document.createElement("canvas").getContext("2d");
    return context !== null && drawsFlags((text) => context.measureText(text).width);
  }, []);
}
