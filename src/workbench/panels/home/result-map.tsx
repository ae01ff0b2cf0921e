import type { ComponentProps } from "preact";
import { Loaded } from "../../kit/loaded.js";
import type { WorldMap } from "../../map/world-map.js";

const loadMap = () => import("../../map/world-map.js").then((module) => module.WorldMap);

/** A map of an answer, loaded on demand. Keeps its height until then. */
export function ResultMap(props: ComponentProps<typeof WorldMap>) {
  return (
    <div class="home-map">
      <Loaded load={loadMap} props={props} />
    </div>
  );
}
