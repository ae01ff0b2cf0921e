import { useEffect, useState } from "preact/hooks";
import { keepTheme, readTheme } from "./theme.js";

const DARK = "(prefers-color-scheme: dark)";

/** Turns the page dark or light; what the system likes is followed again once both agree. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  const [isSystemDark, setSystemDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const onChange = () => setSystemDark(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  const isDark = theme === "system" ? isSystemDark : theme === "dark";
  const turn = () => {
    const next = isDark === isSystemDark ? (isDark ? "light" : "dark") : "system";
    keepTheme(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      class="quiet theme-toggle"
      aria-label="Dark theme"
      aria-pressed={isDark}
      onClick={turn}
    >
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="7.25" fill="none" stroke="currentColor" stroke-width="1.5" />
        <path d="M10 2.75a7.25 7.25 0 0 1 0 14.5z" fill="currentColor" />
      </svg>
    </button>
  );
}
