import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { createCallMethod } from "../client.js";
import type { CallError } from "../kit/call-error.js";
import { type Session, SessionContext } from "../session.js";
import { SNIPPETS } from "../snippet/snippets.js";
import { keepApiKey, readApiKey } from "./api-key.js";
import { ApiKeyBar } from "./api-key-bar.js";
import { Footer } from "./footer.js";
import { Header } from "./header.js";
import { PanelView } from "./panel-view.js";
import { useRoute } from "./use-route.js";

/** The whole page, for the service at a base URL. */
export function App({ baseUrl }: { readonly baseUrl: string }) {
  const panel = useRoute();
  const [needsKey, setNeedsKey] = useState(() => readApiKey() !== "");
  const [refusal, setRefusal] = useState("");
  const [keyNumber, setKeyNumber] = useState(0);
  const [snippetId, showSnippet] = useState(SNIPPETS[0]?.id ?? "");
  const [announcement, announce] = useState("");
  const main = useRef<HTMLElement>(null);

  const callMethod = useMemo(() => createCallMethod(baseUrl, readApiKey), [baseUrl]);
  const onCallError = useCallback(({ code, message }: CallError) => {
    if (code === "UNAUTHENTICATED") {
      setNeedsKey(true);
      setRefusal(message);
    }
  }, []);
  const session: Session = useMemo(
    () => ({ baseUrl, callMethod, needsKey, onCallError, snippetId, showSnippet, announce }),
    [baseUrl, callMethod, needsKey, onCallError, snippetId],
  );
  const onKey = (key: string) => {
    keepApiKey(key);
    setRefusal("");
    // All begins anew with the key, so that what was refused is asked for again.
    setKeyNumber((number) => number + 1);
  };

  const shown = useRef(panel);
  useEffect(() => {
    document.title = panel === undefined ? "Utility Tools" : `${panel.title} · Utility Tools`;
    if (panel !== shown.current) {
      // As if another page had been loaded, for those who go by keyboard and for those who listen.
      shown.current = panel;
      main.current?.focus();
      scrollTo(0, 0);
      announce(panel?.title ?? "");
    }
  }, [panel]);

  return (
    <SessionContext.Provider value={session}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads within the page, where the hash names the panel */}
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the panel
      </a>
      <Header current={panel?.id} />
      <main id="main" ref={main} tabIndex={-1}>
        {needsKey && <ApiKeyBar key={`bar-${keyNumber}`} refusal={refusal} onKey={onKey} />}
        {panel !== undefined && <PanelView key={`${panel.id}-${keyNumber}`} panel={panel} />}
      </main>
      <Footer key={`footer-${keyNumber}`} />
      <div class="off-screen" role="status" aria-live="polite">
        {announcement}
      </div>
    </SessionContext.Provider>
  );
}
