// Loaded before the page is painted; the script of the page comes later. Its own module, because it must load nothing else.

try {
  // As `readTheme`.
  document.documentElement.dataset.theme = localStorage.getItem("utility-tools.theme") ?? "system";
} catch {
  // Some browsers allow no storage.
}
// Only the home begins with the input for everything.
document.documentElement.dataset.start = /^#\/(?!$|home$)/.test(location.hash) ? "panel" : "home";
