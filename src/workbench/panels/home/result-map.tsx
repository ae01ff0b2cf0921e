import type { ComponentProps, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WorldMap } from "../../map/world-map.js";

/** A map of an answer, loaded on demand. Keeps its height until then. */
export function ResultMap(props: ComponentProps<typeof WorldMap>) {
  const [loaded, setLoaded] = useState<{ readonly map: ComponentType<ComponentProps<typeof WorldMap>> }>();
  useEffect(() => {
    import("../../map/world-map.js").then(
      (module) => setLoaded({ map: module.WorldMap }),
      // Offline: the answer is complete without the map.
      () => {},
    );
  }, []);
  return <div class="home-map">{loaded !== undefined && <loaded.map {...props} />}</div>;
}
