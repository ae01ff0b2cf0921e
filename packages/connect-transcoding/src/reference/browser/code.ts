/** Fills in where the API is, which a document with a relative URL does not say. */
export function fillInBase(base: string): void {
  for (const each of document.querySelectorAll("[data-base]")) {
    each.textContent = base;
  }
  if (base.startsWith("https:")) {
    for (const each of document.querySelectorAll("[data-no-tls]")) {
      each.remove();
    }
  }
}

/** Shows a language in all blocks that have it. */
function select(language: string): void {
  for (const block of document.querySelectorAll("[data-tabs]")) {
    const tabs = [...block.querySelectorAll<HTMLElement>("[role=tab]")];
    const panels = [...block.querySelectorAll<HTMLElement>("[role=tabpanel]")];
    const index = tabs.findIndex((tab) => tab.textContent === language);
    if (index < 0) {
      continue;
    }
    for (const [position, tab] of tabs.entries()) {
      tab.setAttribute("aria-selected", String(position === index));
      tab.tabIndex = position === index ? 0 : -1;
      panels[position]?.toggleAttribute("hidden", position !== index);
    }
  }
}

/** As {@link select}; the tab stays where it is on the screen, although the blocks above it change their height. */
function selectAt(tab: HTMLElement): void {
  const before = tab.getBoundingClientRect().top;
  select(tab.textContent ?? "");
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  Home: -Infinity,
  End: Infinity,
};

/** Makes the tabs of languages and the buttons that copy work. */
export function watchCode(): void {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const tab = target?.closest<HTMLElement>("[role=tab]");
    const copy = target?.closest<HTMLElement>(".copy");
    if (tab) {
      selectAt(tab);
    } else if (copy) {
      void copyFrom(copy);
    }
  });
  document.addEventListener("keydown", (event) => {
    const tab = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[role=tab]") : null;
    const step = STEPS[event.key];
    if (tab === null || step === undefined) {
      return;
    }
    event.preventDefault();
    const tabs = [...(tab.parentElement?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
    const moved = tabs.indexOf(tab) + step;
    const index = Number.isFinite(moved)
      ? (moved + tabs.length) % tabs.length
      : step < 0
        ? 0
        : tabs.length - 1;
    const next = tabs[index];
    if (next !== undefined) {
      selectAt(next);
      next.focus({ preventScroll: true });
    }
  });
}

async function copyFrom(button: HTMLElement): Promise<void> {
  const shown = button.closest(".code")?.querySelector("pre:not([hidden])");
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(shown?.textContent ?? "");
  } catch {
    said = "The browser does not allow to copy. Select the text instead.";
  }
  const status = document.getElementById("said");
  if (status !== null) {
    status.textContent = "";
    status.textContent = said;
  }
  button.classList.toggle("done", said === "Copied");
  setTimeout(() => button.classList.remove("done"), 1_500);
}
