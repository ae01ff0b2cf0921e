import { useEffect, useMemo, useState } from "preact/hooks";
import type worldMap from "../../../data/world-map.json";
import { type DotPoint, dotsOf } from "./dots.js";
import { projectPoint } from "./projection.js";
import { viewBoxOf, viewOf, WHOLE_MAP } from "./view.js";
import "./world-map.css";

/** The contents of data/world-map.json. */
interface WorldOutlines {
  readonly source: Pick<(typeof worldMap)["source"], "name" | "url">;
  /** SVG path data by alpha-2 code. */
  readonly outlines: Readonly<Record<string, string>>;
}

/**
 * Loads the outlines of the countries. They are the largest file of the page, so nothing waits for them. Undefined until they
 * are loaded and when loading fails; the map then shows only its markers.
 */
function useOutlines(): WorldOutlines | undefined {
  const [loaded, setLoaded] = useState<WorldOutlines>();
  useEffect(() => {
    let isMounted = true;
    import("../../../data/world-map.json").then(
      (module) => isMounted && setLoaded(module.default),
      () => {},
    );
    return () => {
      isMounted = false;
    };
  }, []);
  return loaded;
}

interface WorldMapProps {
  /** The accessible description of the map. */
  readonly label: string;
  /** The countries to highlight, by alpha-2 code. */
  readonly countries: readonly string[];
  /** The alpha-2 codes of each shade, the lightest first; at most five. */
  readonly shades?: readonly (readonly string[])[];
  /** Where to draw markers. The area of one is proportional to its number. */
  readonly points: readonly DotPoint[];
}

/**
 * A map of the world with highlighted countries and markers. It shows a single country or point with its surroundings, and the user can
 * switch to the whole world. Strokes are in screen pixels, everything else is in map units. The sea fills the whole element, so that the
 * map has no edge in a view near the edge of the world.
 */
export function WorldMap({ label, countries, points, shades = [] }: WorldMapProps) {
  const world = useOutlines();
  const [isWhole, setWhole] = useState(false);
  const outlinesOf = (codes: readonly string[]) => codes.flatMap((code) => world?.outlines[code] ?? []);
  const found = outlinesOf(countries);
  const dots = useMemo(() => dotsOf(points), [points]);
  // The land is a single path, because one path per country takes longer to draw.
  const land = useMemo(() => Object.values(world?.outlines ?? {}).join(""), [world]);
  const isOne = countries.length <= 1 && points.length <= 1 && shades.length === 0;
  const places = points.map(({ lat, lon }) => projectPoint(lon, lat));
  return (
    <figure class="world-map">
      <svg
        viewBox={viewBoxOf(isWhole || !isOne ? WHOLE_MAP : viewOf(found[0], places))}
        role="img"
        aria-label={`Map: ${label}`}
      >
        <path class="map-land" d={land} />
        {shades.map((codes, index) => (
          <path
            key={index}
            class={`map-shade shade-${index + 6 - shades.length}`}
            d={outlinesOf(codes).join("")}
          />
        ))}
        <path class="map-found" d={found.join("")} />
        {dots.map(({ path, size }) => (
          <g key={size}>
            <path class="map-halo" d={path} stroke-width={size * 1.2 + 1} />
            <path class="map-marker" d={path} stroke-width={size} />
          </g>
        ))}
      </svg>
      {isOne && points.length + found.length > 0 && (
        <button type="button" class="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          Whole world
        </button>
      )}
      {world !== undefined && (
        <figcaption class="meta">
          <a href={world.source.url}>{world.source.name}</a>
        </figcaption>
      )}
    </figure>
  );
}
