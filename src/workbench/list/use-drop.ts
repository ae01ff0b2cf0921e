import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Calls `onFile` with files that are dropped anywhere on the page. Returns whether a file is over the page. */
export function useDrop(isActive: boolean, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFile);
  latest.current = onFile;
  // useEffect would listen only after the page is drawn, when a file may already be dropped.
  useLayoutEffect(() => {
    if (!isActive) {
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const onDrag = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) {
        // Without this the browser opens the file in place of the page.
        event.preventDefault();
        setOver(true);
      }
    };
    addEventListener("dragenter", onDrag, { signal });
    addEventListener("dragover", onDrag, { signal });
    addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && setOver(false), {
      signal,
    });
    addEventListener(
      "drop",
      (event) => {
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) {
          event.preventDefault();
          latest.current(file);
        }
      },
      { signal },
    );
    return () => controller.abort();
  }, [isActive]);
  return isOver;
}
