import { useState } from "preact/hooks";
import { useSession } from "./session.js";
import { useTimer } from "./timer.js";

/** How long a button shows the result of copying, in milliseconds. */
const FEEDBACK_TIME = 1600;

interface CopyButtonProps {
  /** The text to copy, or a function that returns it when the button is pressed. */
  readonly text: string | (() => string);
  /** The name of the text for screen readers. */
  readonly what: string;
  /** Default: "Copy". */
  readonly label?: string;
}

/** Copies a text on demand, and says for a moment what became of it. `what` names the text for screen readers. */
export function useCopy(text: string | (() => string), what: string) {
  const { announce } = useSession();
  const [feedback, setFeedback] = useState<"" | "Copied" | "Failed">("");
  useTimer(feedback === "" ? undefined : FEEDBACK_TIME, () => setFeedback(""), [feedback]);

  const copy = async () => {
    const isCopied = await copyText(typeof text === "string" ? text : text());
    setFeedback(isCopied ? "Copied" : "Failed");
    announce(isCopied ? `Copied: ${what}` : `Could not copy: ${what}`);
  };
  return { feedback, copy };
}

/** A button that copies a text. */
export function CopyButton({ text, what, label = "Copy" }: CopyButtonProps) {
  const { feedback, copy } = useCopy(text, what);
  return (
    <button type="button" class="quiet copy" onClick={copy} aria-label={`Copy ${what}`}>
      {feedback === "" ? label : feedback}
    </button>
  );
}

/**
 * A button that copies the URL of the page, which contains the state of the panel: see `usePlace`.
 *
 * @param hash replaces the hash of the URL, if the page shows something that the URL does not name
 */
export function CopyLinkButton({ hash }: { readonly hash?: string | undefined }) {
  const text = () => (hash === undefined ? location.href : new URL(hash, location.href).href);
  return <CopyButton text={text} what="link to this page" label="Copy link" />;
}

/** Writes a text to the clipboard. Uses `execCommand` where the page is not served over TLS: it has no Clipboard API there. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.className = "off-screen";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) {
    focused.focus();
  }
  return isCopied;
}
