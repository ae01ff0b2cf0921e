import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

/** What the hash of the page's URL says: `#/geoip/8.8.8.8` or `#/email?address=jane%40example.com`. */
export interface Place {
  /** The id of a panel. */
  readonly panel: string;
  /** The value in the path; "" without one. */
  readonly value: string;
  readonly parameters: URLSearchParams;
}

/** Parses the hash of a URL. Returns undefined if it does not start with `#/`. Drops secrets, as {@link panelHash}. */
export function parsePlace(hash: string): Place | undefined {
  const [, panel, value = "", query = ""] = /^#\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(hash) ?? [];
  return panel === undefined
    ? undefined
    : withoutSecrets({ panel: decode(panel), value: decode(value), parameters: new URLSearchParams(query) });
}

/** The names of parameters that contain a secret. */
const SECRET_NAME = /secret|password|passphrase|api.?key|token/i;

/** Texts that contain a secret: URLs of authenticator apps or with a password, and Wi-Fi networks with one. */
const SECRET_TEXT = /otpauth(-migration)?:|^\s*wifi:.*\bp:|:\/\/[^/?#\s@]*:[^/?#\s]+@/is;

function withoutSecrets({ panel, value, parameters }: Place): Place {
  const safe = [...parameters].filter(([name, text]) => !SECRET_NAME.test(name) && !SECRET_TEXT.test(text));
  // The only value that a one-time password panel could show in the path is a secret.
  const isSecret = panel === "otp" || SECRET_TEXT.test(value);
  return { panel, value: isSecret ? "" : value, parameters: new URLSearchParams(safe) };
}

/** Percent-encodes a path segment, except for characters of addresses. A lone surrogate becomes U+FFFD, as in UTF-8. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD")).replaceAll(/%3A|%40/g, decodeURIComponent);
}

/** Decodes a path segment. A malformed one stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The part of a place that belongs to its panel. */
export interface PlaceState {
  /** Default: "". */
  readonly value?: string;
  /** Empty texts are omitted. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The place of a panel, and functions that change it. */
export interface PanelPlace {
  /** The value in the path of the URL; "" without one. */
  readonly value: string;
  /** The parameters of the URL; the same object until the URL changes. */
  readonly parameters: URLSearchParams;
  /**
   * What a form must take over: the place of the last link, `push`, or use of the back and forward buttons. What `replace` writes comes from the
   * form itself, and the user may have typed more since.
   */
  readonly arrival: Pick<Place, "value" | "parameters">;
  /** Adds an entry to the history of the browser: for a deliberate action, such as a look-up. */
  readonly push: (state: PlaceState) => void;
  /** Changes the current entry of the history once the calls pause: for typing. */
  readonly replace: (state: PlaceState) => void;
}

/** How long calls of `replace` must pause, in milliseconds. Browsers limit how often a page may change its URL. */
const REPLACE_DELAY = 250;

/**
 * Reads and writes the state of a panel in the hash of the URL. The component renders again when the URL changes: by `push` and
 * `replace`, by links, and by the back and forward buttons. Secrets are not written: see {@link panelHash}.
 */
export function usePlace(panelId: string): PanelPlace {
  const [{ current, arrival }, setPlace] = useState(() => arrivalAt(hashOf(panelId)));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const onHashChange = () => {
      clearTimeout(timer.current);
      if (isAt(panelId)) {
        setPlace(arrivalAt(location.hash));
      }
    };
    // Also fires for the back and forward buttons.
    addEventListener("hashchange", onHashChange);
    return () => {
      clearTimeout(timer.current);
      removeEventListener("hashchange", onHashChange);
    };
  }, [panelId]);

  const push = useCallback(
    (state: PlaceState) => {
      clearTimeout(timer.current);
      const next = panelHash(panelId, state);
      if (next !== location.hash) {
        history.pushState(null, "", next);
      }
      setPlace(arrivalAt(next));
    },
    [panelId],
  );
  const replace = useCallback(
    (state: PlaceState) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        const next = panelHash(panelId, state);
        history.replaceState(null, "", next);
        setPlace(({ arrival }) => ({ current: stateIn(next), arrival }));
      }, REPLACE_DELAY);
    },
    [panelId],
  );
  return useMemo(() => ({ ...current, arrival, push, replace }), [current, arrival, push, replace]);
}

/** The state of a panel whose form must take over a hash. */
function arrivalAt(hash: string) {
  const arrival = stateIn(hash);
  return { current: arrival, arrival };
}

/** What a hash says to its panel. */
function stateIn(hash: string): PanelPlace["arrival"] {
  const { value = "", parameters = new URLSearchParams() } = parsePlace(hash) ?? {};
  return { value, parameters };
}

/** Whether the URL is that of a panel. */
function isAt(panelId: string): boolean {
  return parsePlace(location.hash)?.panel === panelId;
}

/** Returns the hash of the URL, or "" if it is that of another panel. */
function hashOf(panelId: string): string {
  return isAt(panelId) ? location.hash : "";
}

/** Returns the hash of a panel with a text in a parameter; undefined if the text is a secret, which no URL has. */
export function linkedHash(panel: string, parameter: string, text: string): string | undefined {
  const hash = panelHash(panel, { parameters: { [parameter]: text } });
  return parsePlace(hash)?.parameters.get(parameter) === text ? hash : undefined;
}

/**
 * Returns the hash of a panel at a place in it, percent-encoded. A URL ends up in bookmarks, histories and logs, so it contains no
 * secrets: parameters that are named or look like one are omitted.
 */
export function panelHash(panel: string, { value = "", parameters = {} }: PlaceState = {}): string {
  const set = Object.entries(parameters).filter(([, text]) => text !== "");
  const place = withoutSecrets({ panel, value, parameters: new URLSearchParams(set) });
  const path = place.value === "" ? encode(panel) : `${encode(panel)}/${encode(place.value)}`;
  const query = place.parameters.toString();
  return query === "" ? `#/${path}` : `#/${path}?${query}`;
}
