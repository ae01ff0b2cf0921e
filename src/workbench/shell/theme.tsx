import { useEffect, useState } from "preact/hooks";
import { keepStored, readStored } from "../kit/storage.js";

/** The color scheme: that of the system, or a fixed one. */
type Theme = "system" | "light" | "dark";

/** Returns the theme that was chosen on an earlier visit. */
function readTheme(): Theme {
  const stored = readStored("localStorage", "theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

const DARK = "(prefers-color-scheme: dark)";

/** A button that switches between dark and light. Choosing the scheme of the system follows the system again. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  const [isSystemDark, setSystemDark] = useState(() => globalThis.matchMedia?.(DARK).matches ?? false);
  useEffect(() => {
    const query = matchMedia(DARK);
    const onChange = () => setSystemDark(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  const isDark = theme === "system" ? isSystemDark : theme === "dark";
  const toggle = () => {
    const next = isDark === isSystemDark ? (isDark ? "light" : "dark") : "system";
    document.documentElement.dataset.theme = next;
    keepStored("localStorage", "theme", next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      class="quiet theme-toggle"
      aria-label="Dark theme"
      aria-pressed={isDark}
      onClick={toggle}
    >
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="7.25" fill="none" stroke="currentColor" stroke-width="1.5" />
        <path d="M10 2.75a7.25 7.25 0 0 1 0 14.5z" fill="currentColor" />
      </svg>
    </button>
  );
}
