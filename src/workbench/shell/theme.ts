/** How the page looks: as the system does, or not. */
export type Theme = "system" | "light" | "dark";

const KEY = "utility-tools.theme";

/** The theme that was chosen on an earlier visit. */
export function readTheme(): Theme {
  const kept = read(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

/** Shows the page in a theme, and remembers it. */
export function keepTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing shows the theme all the same.
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
