import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Panel } from "../panels.js";

/** A panel, once it is loaded. */
export function PanelView({ panel }: { readonly panel: Panel }) {
  // In an object, since a state that is a function would be called.
  const [loaded, setLoaded] = useState<{ readonly component: ComponentType | undefined }>();
  useEffect(() => {
    let isGone = false;
    panel.load().then(
      (component) => isGone || setLoaded({ component }),
      () => isGone || setLoaded({ component: undefined }),
    );
    return () => {
      isGone = true;
    };
  }, [panel]);
  if (loaded === undefined) {
    return null;
  }
  const { component: Loaded } = loaded;
  return Loaded === undefined ? (
    <p class="error" role="alert">
      The panel could not be loaded. <a href={location.pathname}>Load the page again</a>
    </p>
  ) : (
    <Loaded />
  );
}
