import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiDrawer } from "../kit/exchange/drawer.js";
import { Loaded } from "../kit/loaded.js";
import { isServiceWide, type ShownError } from "../kit/service/errors.js";
import { createCallJson } from "../kit/service/send-json.js";
import { createHandOver, type Session, SessionContext } from "../kit/session.js";
import { keepApiKey, readApiKey } from "../kit/storage.js";
import { documentTitle } from "../kit/title.js";
import { PANELS, type Panel, panelOf, TOOLS } from "../panels.js";
import { Footer, Header, SkipLink } from "./layout.js";
import type { Palette as PaletteType } from "./palette.js";
import { useShortcuts } from "./shortcuts.js";
import { Skeleton } from "./skeleton.js";
import { TroubleNotice, useServiceTrouble } from "./trouble.js";

/** The whole page. `baseUrl` is the URL of the service. */
export function App({ baseUrl }: { readonly baseUrl: string }) {
  const panel = useRoute();
  const [needsKey, setNeedsKey] = useState(() => readApiKey() !== "");
  const [isRejected, setRejected] = useState(false);
  const [keyNumber, setKeyNumber] = useState(0);
  const [snippetId, showSnippet] = useState("");
  const [announcement, announce] = useState("");
  const main = useRef<HTMLElement>(null);

  const callJson = useMemo(() => createCallJson(baseUrl, readApiKey), [baseUrl]);
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
  const [handOver] = useState(createHandOver);
  const session: Session = useMemo(
    () => ({ baseUrl, callJson, needsKey, onCallEnd, retries, snippetId, showSnippet, handOver, announce }),
    [baseUrl, callJson, needsKey, onCallEnd, retries, snippetId, handOver],
  );
  const onKey = (key: string) => {
    keepApiKey(key);
    setNeedsKey(key !== "");
    setRejected(false);
    // Remount everything, so that rejected requests are sent again with the new key.
    setKeyNumber((number) => number + 1);
  };

  const isHome = panel === PANELS[0];
  const onEarlyText = useCallback(
    (text: string) => isHome && text !== "" && handOver.put("home", text),
    [isHome, handOver],
  );

  const palette = useLoadedPalette();
  useShortcuts(palette.open);

  const shown = useRef(panel);
  useEffect(() => {
    // A panel adds its value when it is loaded.
    document.title = documentTitle(panel === undefined ? "No such page" : isHome ? "" : panel.title);
    if (panel !== shown.current) {
      // Move focus and announce the panel as the browser does when it loads a page.
      shown.current = panel;
      main.current?.focus();
      scrollTo(0, 0);
      announce(panel?.title ?? "");
    }
  }, [panel, isHome]);

  return (
    <SessionContext.Provider value={session}>
      <SkipLink onFollow={() => main.current?.focus()} />
      <Header current={panel?.id} onSearch={palette.open} />
      <main id="main" ref={main} tabIndex={-1} data-tool={panel?.id}>
        {trouble !== undefined && <TroubleNotice trouble={trouble} onRetry={retry} />}
        {isRejected ? (
          <Loaded key="key" load={loadKeyForm} props={{ onKey }} />
        ) : panel === undefined ? (
          <UnknownPlace />
        ) : (
          <ApiDrawer key={`${panel.id}-${keyNumber}`}>
            <Loaded load={panel.load} props={{ tools: TOOLS }}>
              <Skeleton onText={onEarlyText} />
            </Loaded>
          </ApiDrawer>
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

/** Returns the panel of the URL; without a hash the first panel. Undefined for a URL that names no panel. */
function useRoute(): Panel | undefined {
  const [panel, setPanel] = useState(() => shownPanel(undefined));
  useEffect(() => {
    const onHashChange = () => setPanel(shownPanel);
    addEventListener("hashchange", onHashChange);
    return () => removeEventListener("hashchange", onHashChange);
  }, []);
  return panel;
}

/** A hash that does not start with `#/` is a place within the current panel. */
function shownPanel(before: Panel | undefined): Panel | undefined {
  if (location.hash === "" || location.hash === "#/") {
    return PANELS[0];
  }
  return location.hash.startsWith("#/") ? panelOf(location.hash) : (before ?? PANELS[0]);
}

/** Says that the URL names no panel. */
function UnknownPlace() {
  return (
    <section class="card card-body unknown-place">
      <h1>There is no such page</h1>
      <p>
        The link may be old, or incomplete. <a href="#/">Go to the start</a>, or choose a tool above.
      </p>
    </section>
  );
}

const loadKeyForm = () => import("./api-key.js").then(({ ApiKeyForm }) => ApiKeyForm);
