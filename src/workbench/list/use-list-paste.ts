import type { PanelPlace } from "../kit/location.js";
import { useSession } from "../kit/session.js";
import { pastedList } from "./pasted-list.js";

/** Returns a handler that opens the list of a panel with pasted lines. */
export function useListPaste(place: PanelPlace, panel: string): (event: ClipboardEvent) => void {
  const { handOver } = useSession();
  return (event) => {
    const text = pastedList(event);
    if (text !== undefined) {
      event.preventDefault();
      handOver.put(panel, text);
      place.push({ parameters: { mode: "list" } });
    }
  };
}
