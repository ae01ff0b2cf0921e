// Applies the theme that was chosen on the page of the tools, or that of the system. In the head, so that the page does not flash.

const dark = matchMedia("(prefers-color-scheme: dark)");

function applyTheme() {
  let theme;
  try {
    theme = localStorage.getItem("utility-tools.theme");
  } catch {
    // Without storage, the theme is that of the system.
  }
  const isDark = theme === "dark" || (theme !== "light" && dark.matches);
  // Swagger UI knows this class.
  document.documentElement.classList.toggle("dark-mode", isDark);
}

applyTheme();
dark.addEventListener("change", applyTheme);
// Another tab has chosen a theme.
addEventListener("storage", applyTheme);
