import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ShownError } from "./service/errors.js";
import type { CallJson } from "./service/send-json.js";
import { useTimer } from "./timer.js";

/** A text that one panel hands to another. It is kept in memory only, so that a secret is in no link and not in the history. */
export interface HandOver {
  /** Keeps a text for the panel that opens next. */
  readonly put: (panel: string, text: string) => void;
  /** Returns the text for a panel once; "" without one. A text for another panel is dropped. */
  readonly take: (panel: string) => string;
}

/** Creates a hand-over without a text. */
export function createHandOver(): HandOver {
  let kept = { panel: "", text: "" };
  return {
    put(panel, text) {
      kept = { panel, text };
    },
    take(panel) {
      const { panel: receiver, text } = kept;
      kept = { panel: "", text: "" };
      return receiver === panel ? text : "";
    },
  };
}

/** The state that all components of the page share. */
export interface Session {
  /** The URL of the service without a trailing slash. */
  readonly baseUrl: string;
  readonly callJson: CallJson;
  /** Whether the service requires an API key. */
  readonly needsKey: boolean;
  /** Called at the end of each call, with its error if it failed. */
  readonly onCallEnd: (error: ShownError | undefined) => void;
  /** Grows when calls that failed with an error of the whole service are sent again. */
  readonly retries: number;
  /** The selected kind of snippet; all panels share it. */
  readonly snippetId: string;
  readonly showSnippet: (id: string) => void;
  readonly handOver: HandOver;
  /** Announces a text to screen readers. */
  readonly announce: (text: string) => void;
}

/** Provides the session to all components below it. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session of the page. Throws outside of a {@link SessionContext}. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) {
    throw new Error("this component needs a SessionContext around it");
  }
  return session;
}

/** How long a text must stay unchanged before it is announced, in milliseconds: longer than a pause while typing. */
const ANNOUNCE_DELAY = 800;

/** Announces a text to screen readers once it has stopped changing. Ignores an empty text. */
export function useAnnouncement(text: string): void {
  const { announce } = useSession();
  useTimer(text === "" ? undefined : ANNOUNCE_DELAY, () => announce(text), [announce, text]);
}
