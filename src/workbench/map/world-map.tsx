import { useMemo, useState } from "preact/hooks";
import type { GeoPoint } from "./format-coordinates.js";
import { graticule, mapEdge } from "./graticule.js";
import { MAP_HEIGHT, MAP_WIDTH, viewOf, viewTransform, WHOLE_MAP } from "./map-view.js";
import { projectPoint } from "./natural-earth.js";
import { useOutlines } from "./use-outlines.js";
import "./world-map.css";

interface WorldMapProps {
  /** What is shown, for those who cannot see it. */
  readonly label: string;
  /** The countries that stand out, by alpha-2 code. */
  readonly countries: readonly string[];
  /** Where the markers are. */
  readonly points: readonly GeoPoint[];
}

/**
 * The world, with some countries and points that stand out. It shows the surroundings of what stands out, where that is one
 * country or one point, and the whole world on demand. All sizes but those of the map are in pixels of the screen.
 */
export function WorldMap({ label, countries, points }: WorldMapProps) {
  const world = useOutlines();
  const [isWhole, setWhole] = useState(false);
  const places = points.map(({ lat, lon }) => projectPoint(lon, lat));
  const found = countries.flatMap((code) => world?.outlines[code] ?? []);
  const isOne = countries.length <= 1 && points.length <= 1;
  const view = isWhole || !isOne ? WHOLE_MAP : viewOf(found[0], places);
  return (
    <figure class="world-map">
      <svg
        viewBox={`${-MAP_WIDTH / 2} ${-MAP_HEIGHT / 2} ${MAP_WIDTH} ${MAP_HEIGHT}`}
        role="img"
        aria-label={`Map: ${label}`}
      >
        <g class="map-view" transform={viewTransform(view)}>
          <Ground outlines={world?.outlines} />
          <path class="map-found" d={found.join("")} vector-effect="non-scaling-stroke" />
          {/* Lines without length, for the width of a line can be in pixels, whatever the scale. */}
          <path class="map-halo" d={places.map(dot).join("")} vector-effect="non-scaling-stroke" />
          <path class="map-marker" d={places.map(dot).join("")} vector-effect="non-scaling-stroke" />
        </g>
      </svg>
      <figcaption>
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

/** What is the same whatever stands out; the land is one path, for as many as there are countries take longer to draw. */
function Ground({ outlines }: { readonly outlines: Readonly<Record<string, string>> | undefined }) {
  const edge = useMemo(mapEdge, []);
  const lines = useMemo(graticule, []);
  const land = useMemo(() => Object.values(outlines ?? {}).join(""), [outlines]);
  return (
    <>
      <path class="map-sea" d={edge} />
      <path class="map-lines" d={lines} vector-effect="non-scaling-stroke" />
      <path class="map-land" d={land} vector-effect="non-scaling-stroke" />
    </>
  );
}

function dot({ x, y }: { readonly x: number; readonly y: number }): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
}
