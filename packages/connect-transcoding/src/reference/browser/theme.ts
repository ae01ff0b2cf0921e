const root = document.documentElement;
const item = root.dataset.themeItem ?? "";
const systemDark = matchMedia("(prefers-color-scheme: dark)");

/** The theme that was chosen; undefined for that of the system. */
function chosen(): string | undefined {
  try {
    const theme = localStorage.getItem(item);
    return theme === "light" || theme === "dark" ? theme : undefined;
  } catch {
    return undefined;
  }
}

const isDark = (): boolean => (root.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";

function apply(theme: string | undefined): void {
  if (theme === undefined) {
    delete root.dataset.theme;
  } else {
    root.dataset.theme = theme;
  }
  document.querySelector(".theme")?.setAttribute("aria-pressed", String(isDark()));
}

/** Applies the theme while the head is read, so that the page does not flash. Other tabs can change it. */
export function followTheme(): void {
  apply(chosen());
  addEventListener("storage", () => apply(chosen()));
  systemDark.addEventListener("change", () => apply(chosen()));
}

/** Lets the button choose the other theme. Choosing that of the system follows the system again. */
export function watchThemeButton(): void {
  apply(chosen());
  document.querySelector(".theme")?.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    const isSystem = (next === "dark") === systemDark.matches;
    apply(isSystem ? undefined : next);
    try {
      localStorage.setItem(item, isSystem ? "system" : next);
    } catch {
      // Without storage the theme applies until the page is closed.
    }
  });
}
