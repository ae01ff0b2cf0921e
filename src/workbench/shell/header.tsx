import { PANELS } from "../panels.js";
import { Brand } from "./brand.js";
import { ThemeToggle } from "./theme-toggle.js";

/** The name of the page, the way to its panels, and what else there is. */
export function Header({ current }: { readonly current: string | undefined }) {
  return (
    <header class="header">
      <div class="header-row">
        <Brand />
        <nav class="panels" aria-label="Tools">
          {PANELS.map(({ id, title, load }) => (
            <a
              key={id}
              href={`#/${id}`}
              aria-current={id === current ? "page" : undefined}
              onPointerEnter={() => loadAhead(load)}
              onFocus={() => loadAhead(load)}
            >
              {title}
            </a>
          ))}
        </nav>
        <ThemeToggle />
      </div>
    </header>
  );
}

/** Loads what is likely to be wanted next; that it cannot be loaded is said when it is. */
function loadAhead(load: () => Promise<unknown>): void {
  load().catch(() => {});
}
