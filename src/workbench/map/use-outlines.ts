import { useEffect, useState } from "preact/hooks";
import type worldMap from "../../../data/world-map.json";

/** What data/world-map.json holds. */
export interface WorldOutlines {
  /** Whose data it is. */
  readonly source: Pick<(typeof worldMap)["source"], "name" | "url">;
  /** Data of SVG paths, by alpha-2 code. */
  readonly outlines: Readonly<Record<string, string>>;
}

/**
 * The outlines of the countries, once they are there: they are the page's largest file, and nothing waits for them. Undefined
 * until then, and when they cannot be had: a map then has its lines and its markers alone.
 */
export function useOutlines(): WorldOutlines | undefined {
  const [loaded, setLoaded] = useState<WorldOutlines>();
  useEffect(() => {
    let isWanted = true;
    import("../../../data/world-map.json").then(
      (module) => isWanted && setLoaded(module.default),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return loaded;
}
