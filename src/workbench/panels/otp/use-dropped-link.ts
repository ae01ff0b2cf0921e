import { useState } from "preact/hooks";
import { sentenceOf } from "../../kit/text.js";
import { isSetupLink } from "./account.js";

/**
 * Reads setup links that are pasted or dropped, as text or as a picture of a QR code.
 *
 * @param read takes a link, and returns why it cannot be used, or ""
 */
export function useDroppedLink(read: (link: string) => string) {
  const [problem, setProblem] = useState("");
  const [isOver, setOver] = useState(false);

  /** Reads a link. Returns whether it can be used. */
  const readText = (text: string): boolean => {
    const found = isSetupLink(text) ? read(text) : "this QR code has no setup link of an authenticator app";
    setProblem(found === "" ? "" : sentenceOf(found));
    return found === "";
  };
  const readPicture = async (picture: Blob) => {
    const module = await import("../../kit/read-qr-code.js").catch(() => undefined);
    const result = await module?.readQrCode(picture);
    if (result === undefined) {
      setProblem("The service does not respond. Try again.");
    } else if (result.ok) {
      readText(result.value);
    } else {
      setProblem(sentenceOf(result.failure.description));
    }
  };
  /** Takes what was dropped or pasted, if it is a setup link or a picture. */
  const take = (event: Event, data: DataTransfer | null) => {
    const text = data?.getData("text/plain") ?? "";
    const [file] = data?.files ?? [];
    if (isSetupLink(text)) {
      event.preventDefault();
      readText(text);
    } else if (file !== undefined) {
      event.preventDefault();
      void readPicture(file);
    }
  };
  const handlers = {
    onPaste: (event: ClipboardEvent) => take(event, event.clipboardData),
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      take(event, event.dataTransfer);
    },
  };
  return { problem, isOver, handlers, readText, readPicture };
}
