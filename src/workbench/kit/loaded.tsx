import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

interface LoadedProps<Props> {
  /** Must be the same function until the component changes. */
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
  /** What to show until the component is loaded. Default: nothing. */
  readonly children?: ComponentChildren;
}

/** A component that is loaded on demand. */
export function Loaded<Props extends object>({ load, props, children = null }: LoadedProps<Props>) {
  // Wrapped in an object, because a state setter calls functions.
  const [loaded, setLoaded] = useState<{ readonly component: ComponentType<Props> | undefined }>();
  useEffect(() => {
    let isMounted = true;
    load().then(
      (component) => isMounted && setLoaded({ component }),
      () => isMounted && setLoaded({ component: undefined }),
    );
    return () => {
      isMounted = false;
    };
  }, [load]);
  if (loaded === undefined) {
    return <>{children}</>;
  }
  const { component: View } = loaded;
  return View === undefined ? (
    <p class="error" role="alert">
      This part of the page could not be loaded. <a href={location.pathname}>Reload the page</a>
    </p>
  ) : (
    <View {...props} />
  );
}
