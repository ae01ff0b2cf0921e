import { useEffect, useMemo, useState } from "preact/hooks";
import type worldMap from "../../../data/world-map.json";
import { type GeoPoint, graticule, type MapPoint, mapEdge, projectPoint } from "./projection.js";
import { MAP_HEIGHT, MAP_WIDTH, viewOf, viewTransform, WHOLE_MAP } from "./view.js";
import "./world-map.css";

/** The contents of data/world-map.json. */
interface WorldOutlines {
  readonly source: Pick<(typeof worldMap)["source"], "name" | "url">;
  /** SVG path data by alpha-2 code. */
  readonly outlines: Readonly<Record<string, string>>;
}

/**
 * Loads the outlines of the countries. They are the largest file of the page, so nothing waits for them. Undefined until they
 * are loaded and when loading fails; the map then shows only its lines and markers.
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
  /** Where to draw markers. */
  readonly points: readonly GeoPoint[];
}

/**
 * A map of the world with highlighted countries and markers. For a single country or point it zooms in, and the user can
 * switch to the whole world. Strokes are in screen pixels, everything else is in map units.
 */
export function WorldMap({ label, countries, points, shades = [] }: WorldMapProps) {
  const world = useOutlines();
  const [isWhole, setWhole] = useState(false);
  const places = points.map(({ lat, lon }) => projectPoint(lon, lat));
  const outlinesOf = (codes: readonly string[]) => codes.flatMap((code) => world?.outlines[code] ?? []);
  const found = outlinesOf(countries);
  const isOne = countries.length <= 1 && points.length <= 1;
  const view = isWhole || !isOne ? WHOLE_MAP : viewOf(found[0], places);
  return (
    <figure class="stack tight world-map">
      <svg
        viewBox={`${-MAP_WIDTH / 2} ${-MAP_HEIGHT / 2} ${MAP_WIDTH} ${MAP_HEIGHT}`}
        // A lower map shows less of the surroundings of a country.
        preserveAspectRatio={view.scale === 1 ? "xMidYMid meet" : "xMidYMid slice"}
        role="img"
        aria-label={`Map: ${label}`}
      >
        <g class="map-view" transform={viewTransform(view)}>
          <Background outlines={world?.outlines} />
          {shades.map((codes, index) => (
            <path
              key={index}
              class={`map-shade shade-${index + 6 - shades.length}`}
              d={outlinesOf(codes).join("")}
            />
          ))}
          <path class="map-found" d={found.join("")} />
          {/* Lines of zero length: unlike the radius of a circle, a stroke width can be in pixels at any scale. */}
          <path class="map-halo" d={places.map(dot).join("")} />
          <path class="map-marker" d={places.map(dot).join("")} />
        </g>
      </svg>
      <figcaption class="row spread meta">
        {world !== undefined && (
          <span>
            Outlines: <a href={world.source.url}>{world.source.name}</a>
          </span>
        )}
        {isOne && points.length + found.length > 0 && (
          <button type="button" class="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            Whole world
          </button>
        )}
      </figcaption>
    </figure>
  );
}

/** Sea, lines and land. The land is a single path, because one path per country takes longer to draw. */
function Background({ outlines }: { readonly outlines: Readonly<Record<string, string>> | undefined }) {
  const edge = useMemo(mapEdge, []);
  const lines = useMemo(graticule, []);
  const land = useMemo(() => Object.values(outlines ?? {}).join(""), [outlines]);
  return (
    <>
      <path class="map-sea" d={edge} />
      <path class="map-lines" d={lines} />
      <path class="map-land" d={land} />
    </>
  );
}

function dot({ x, y }: MapPoint): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
}
