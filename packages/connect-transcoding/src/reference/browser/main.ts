import { unlock, watchKeyField } from "./api-key.js";
import { fillInBase, watchCode } from "./code.js";
import { revealTarget, watchIndex } from "./navigation.js";
import { followTheme, watchThemeButton } from "./theme.js";
import { watchForms } from "./try-it.js";

followTheme();

async function start(): Promise<void> {
  document.documentElement.classList.add("script");
  watchThemeButton();
  const main = document.getElementById("main");
  const content = main?.dataset.content;
  if (main && content !== undefined) {
    await unlock(main, content);
  }
  const base = new URL(`./${main?.dataset.baseUrl ?? ""}`, location.href.replace(/[?#].*$/, "")).href.replace(
    /\/$/,
    "",
  );
  fillInBase(base);
  watchCode();
  watchKeyField();
  watchForms(base);
  watchIndex();
  revealTarget();
}

document.addEventListener("DOMContentLoaded", () => void start());
