/** Opens what contains the target of a link, and shows it. */
export function revealTarget(): void {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {
    // A `%` that encodes nothing is part of the ID.
  }
  const target = id === "" ? null : document.getElementById(id);
  for (let each: Element | null = target; each !== null; each = each.parentElement) {
    if (each instanceof HTMLDetailsElement) {
      each.open = true;
    }
  }
  target?.scrollIntoView();
  markCurrent(id);
}

function markCurrent(id: string): void {
  for (const link of document.querySelectorAll(".index a")) {
    if (link.getAttribute("href") === `#${id}`) {
      link.setAttribute("aria-current", "true");
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

/** Makes the index work: `/` goes to its filter, and a phone shows it folded. */
export function watchIndex(): void {
  const index = document.querySelector(".index details");
  const filter = document.querySelector<HTMLInputElement>("#filter");
  const narrow = matchMedia("(max-width: 860px)");
  const fold = () => index?.toggleAttribute("open", !narrow.matches);
  fold();
  narrow.addEventListener("change", fold);
  filter?.addEventListener("input", () => {
    const text = filter.value.trim().toLowerCase();
    for (const link of document.querySelectorAll<HTMLElement>(".index li:not(.top)")) {
      const words = `${link.textContent} ${link.dataset.words}`;
      link.hidden = !words.toLowerCase().includes(text);
    }
    for (const group of document.querySelectorAll<HTMLElement>(".index details > div")) {
      group.hidden = group.querySelector("li:not([hidden])") === null;
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && filter) {
      event.preventDefault();
      index?.setAttribute("open", "");
      filter.focus();
    }
  });
  document.querySelector(".index")?.addEventListener("click", (event) => {
    if (narrow.matches && event.target instanceof HTMLAnchorElement) {
      index?.removeAttribute("open");
    }
  });
  addEventListener("hashchange", revealTarget);
}
