import { panelHash } from "../kit/location.js";
import { useSession } from "../kit/session.js";
import { type PastedList, pastedList, severalInputs } from "./pasted-list.js";

/** Returns a function that opens the list of a panel with inputs, which are handed over in memory. */
export function useOpenList(): (list: Pick<PastedList, "panel" | "text">) => void {
  const { handOver } = useSession();
  return ({ panel, text }) => {
    handOver.put(panel, text);
    location.assign(panelHash(panel, { parameters: { mode: "list" } }));
  };
}

/** Returns a handler that opens the list of a panel with pasted lines, or with several addresses in one line. */
export function useListPaste(panel: string): (event: ClipboardEvent) => void {
  const open = useOpenList();
  return (event) => {
    const line = severalInputs(event.clipboardData?.getData("text/plain") ?? "");
    const text = pastedList(event) ?? (line?.panel === panel ? line.text : undefined);
    if (text !== undefined) {
      event.preventDefault();
      open({ panel, text });
    }
  };
}
