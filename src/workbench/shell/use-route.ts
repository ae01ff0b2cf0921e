import { useEffect, useState } from "preact/hooks";
import { PANELS, type Panel } from "../panels.js";
import { panelOf } from "./panel-of.js";

/** The panel that the address names; another hash leaves it as it is. The first one where there is none yet. */
export function useRoute(): Panel | undefined {
  const [panel, setPanel] = useState(() => panelOf(location.hash, PANELS) ?? PANELS[0]);
  useEffect(() => {
    const onHashChange = () =>
      setPanel((before) => panelOf(location.hash, PANELS) ?? (location.hash === "" ? PANELS[0] : before));
    addEventListener("hashchange", onHashChange);
    return () => removeEventListener("hashchange", onHashChange);
  }, []);
  return panel;
}
