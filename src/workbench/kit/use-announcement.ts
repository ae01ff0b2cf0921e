import { useEffect } from "preact/hooks";
import { useSession } from "../session.js";

/** How long a text has to stay the same before it is said, in milliseconds: longer than somebody who types pauses. */
const SAYING_PAUSE = 800;

/** Says a text to those who listen to the page, once it has stayed the same for a while; nothing where it is empty. */
export function useAnnouncement(text: string): void {
  const { announce } = useSession();
  useEffect(() => {
    if (text === "") {
      return;
    }
    const timer = setTimeout(() => announce(text), SAYING_PAUSE);
    return () => clearTimeout(timer);
  }, [announce, text]);
}
