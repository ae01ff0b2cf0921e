import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { CallMethod } from "./client.js";
import type { CallError } from "./kit/call-error.js";

/** What all of the page shares. */
export interface Session {
  /** Where the service is, as seen from the page: no final slash. */
  readonly baseUrl: string;
  readonly callMethod: CallMethod;
  /** Whether the service has asked for an API key. */
  readonly needsKey: boolean;
  /** Is to be told of each error of a call, for one of them may be that a key is needed. */
  readonly onCallError: (error: CallError) => void;
  /** Which kind of snippet is shown, and how to show another: the same in all panels. */
  readonly snippetId: string;
  readonly showSnippet: (id: string) => void;
  /** Says something to those who listen to the page. */
  readonly announce: (text: string) => void;
}

/** Gives the session to every component below. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** The session that a component is in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) {
    throw new Error("there is no session around this component");
  }
  return session;
}
