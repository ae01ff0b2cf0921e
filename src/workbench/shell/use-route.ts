import { useEffect, useState } from "preact/hooks";
import { PANELS, type Panel } from "../panels.js";

/** The panel that a hash of the address names; undefined for one that names none. */
export function panelOf(hash: string, panels: readonly Panel[] = PANELS): Panel | undefined {
  const id = /^#\/([^/?]*)/.exec(hash)?.[1];
  return panels.find((panel) => panel.id === id);
}

/** The panel that the address names; another hash leaves it as it is. The first one where there is none yet. */
export function useRoute(): Panel | undefined {
  const [panel, setPanel] = useState(() => panelOf(location.hash) ?? PANELS[0]);
  useEffect(() => {
    const onHashChange = () =>
      setPanel((before) => panelOf(location.hash) ?? (location.hash === "" ? PANELS[0] : before));
    addEventListener("hashchange", onHashChange);
    return () => removeEventListener("hashchange", onHashChange);
  }, []);
  return panel;
}
