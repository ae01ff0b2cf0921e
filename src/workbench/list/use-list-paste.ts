import type { PanelPlace } from "../kit/location.js";
import { useSession } from "../kit/session.js";
import { pastedList, severalInputs } from "./pasted-list.js";

/** Returns a handler that opens the list of a panel with pasted lines, or with several addresses in one line. */
export function useListPaste(place: PanelPlace, panel: string): (event: ClipboardEvent) => void {
  const { handOver } = useSession();
  return (event) => {
    const line = severalInputs(event.clipboardData?.getData("text/plain") ?? "");
    const text = pastedList(event) ?? (line?.panel === panel ? line.text : undefined);
    if (text !== undefined) {
      event.preventDefault();
      handOver.put(panel, text);
      place.push({ parameters: { mode: "list" } });
    }
  };
}
