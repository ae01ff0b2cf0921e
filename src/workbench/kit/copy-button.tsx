import { useEffect, useState } from "preact/hooks";
import { useSession } from "../session.js";

/** How long a button says that it has copied, in milliseconds. */
const SAID_FOR = 1600;

/** Copies a text. `what` is what the text is, for those who cannot see beside what the button stands. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { announce } = useSession();
  const [said, setSaid] = useState<"" | "Copied" | "Failed">("");
  useEffect(() => {
    if (said === "") {
      return;
    }
    const timer = setTimeout(() => setSaid(""), SAID_FOR);
    return () => clearTimeout(timer);
  }, [said]);

  const copy = async () => {
    const isCopied = await copyText(text);
    setSaid(isCopied ? "Copied" : "Failed");
    announce(isCopied ? `Copied: ${what}` : `Could not copy: ${what}`);
  };
  return (
    <button type="button" class="quiet copy" onClick={copy} aria-label={`Copy ${what}`}>
      {said === "" ? "Copy" : said}
    </button>
  );
}

/** Puts a text on the clipboard, also where the page did not come over TLS and so has no access to it but the old one. */
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
