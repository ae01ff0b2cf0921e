import type { ComponentType } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { createCallMethod, isServiceWide, type ShownError } from "../kit/client.js";
import { ApiDrawer } from "../kit/drawer.js";
import { type Session, SessionContext } from "../kit/session.js";
import { PANELS, type Panel, panelOf } from "../panels.js";
import { SNIPPETS } from "../snippet/snippets.js";
import { ApiKeyForm, keepApiKey, readApiKey } from "./api-key.js";
import { Footer, Header } from "./layout.js";
import type { Palette as PaletteType } from "./palette.js";
import { useShortcuts } from "./shortcuts.js";
import { TroubleNotice, useServiceTrouble } from "./trouble.js";

/** The whole page. `baseUrl` is the URL of the service. */
export function App({ baseUrl }: { readonly baseUrl: string }) {
  const panel = useRoute();
  const [needsKey, setNeedsKey] = useState(() => readApiKey() !== "");
  const [isRejected, setRejected] = useState(false);
  const [keyNumber, setKeyNumber] = useState(0);
  const [snippetId, showSnippet] = useState(SNIPPETS[0]?.id ?? "");
  const [announcement, announce] = useState("");
  const main = useRef<HTMLElement>(null);

  const callMethod = useMemo(() => createCallMethod(baseUrl, readApiKey), [baseUrl]);
  const { trouble, retries, note, retry } = useServiceTrouble();
  const onCallEnd = useCallback(
    (error: ShownError | undefined) => {
      if (error?.code === "UNAUTHENTICATED") {
        setNeedsKey(true);
        setRejected(true);
      } else {
        note(error !== undefined && isServiceWide(error) ? error : undefined);
      }
    },
    [note],
  );
  const session: Session = useMemo(
    () => ({ baseUrl, callMethod, needsKey, onCallEnd, retries, snippetId, showSnippet, announce }),
    [baseUrl, callMethod, needsKey, onCallEnd, retries, snippetId],
  );
  const onKey = (key: string) => {
    keepApiKey(key);
    setNeedsKey(key !== "");
    setRejected(false);
    // Remount everything, so that rejected requests are sent again with the new key.
    setKeyNumber((number) => number + 1);
  };

  const palette = useLoadedPalette();
  useShortcuts(palette.open);

  const shown = useRef(panel);
  useEffect(() => {
    document.title = panel === undefined ? "Utility Tools" : `${panel.title} · Utility Tools`;
    if (panel !== shown.current) {
      // Move focus and announce the panel as the browser does when it loads a page.
      shown.current = panel;
      main.current?.focus();
      scrollTo(0, 0);
      announce(panel?.title ?? "");
    }
  }, [panel]);

  return (
    <SessionContext.Provider value={session}>
      {/* biome-ignore lint/a11y/useValidAnchor: a link within the page; the hash of the URL names the panel */}
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header current={panel?.id} onSearch={palette.open} />
      <main id="main" ref={main} tabIndex={-1}>
        {trouble !== undefined && <TroubleNotice trouble={trouble} onRetry={retry} />}
        {isRejected ? (
          <ApiKeyForm onKey={onKey} />
        ) : (
          panel !== undefined && <PanelView key={`${panel.id}-${keyNumber}`} panel={panel} />
        )}
      </main>
      <Footer
        key={`footer-${keyNumber}`}
        onForgetKey={needsKey && !isRejected ? () => onKey("") : undefined}
      />
      {palette.view}
      <div class="off-screen" role="status" aria-live="polite">
        {announcement}
      </div>
    </SessionContext.Provider>
  );
}

/** The palette, loaded when it is first opened. */
function useLoadedPalette() {
  // Wrapped in an object, because a state setter calls functions.
  const [loaded, setLoaded] = useState<{ readonly component: typeof PaletteType }>();
  const [isOpen, setOpen] = useState(false);
  const open = useCallback(() => {
    setOpen(true);
    import("./palette.js").then(
      ({ Palette }) => setLoaded({ component: Palette }),
      // Offline: the navigation still works.
      () => setOpen(false),
    );
  }, []);
  const view = isOpen && loaded !== undefined && <loaded.component onClose={() => setOpen(false)} />;
  return { open, view };
}

/** Returns the panel of the URL. An unknown hash keeps the current panel; without a hash it is the first panel. */
function useRoute(): Panel | undefined {
  const [panel, setPanel] = useState(() => panelOf(location.hash) ?? PANELS[0]);
  useEffect(() => {
    const onHashChange = () =>
      setPanel((before) => panelOf(location.hash) ?? (location.hash === "" ? PANELS[0] : before));
    addEventListener("hashchange", onHashChange);
    return () => removeEventListener("hashchange", onHashChange);
  }, []);
  return panel;
}

/** A panel, loaded on demand. */
function PanelView({ panel }: { readonly panel: Panel }) {
  // Wrapped in an object, because a state setter calls functions.
  const [loaded, setLoaded] = useState<{ readonly component: ComponentType | undefined }>();
  useEffect(() => {
    let isMounted = true;
    panel.load().then(
      (component) => isMounted && setLoaded({ component }),
      () => isMounted && setLoaded({ component: undefined }),
    );
    return () => {
      isMounted = false;
    };
  }, [panel]);
  if (loaded === undefined) {
    return null;
  }
  const { component: Loaded } = loaded;
  return Loaded === undefined ? (
    <p class="error" role="alert">
      The panel could not be loaded. <a href={location.pathname}>Reload the page</a>
    </p>
  ) : (
    <ApiDrawer>
      <Loaded />
    </ApiDrawer>
  );
}
