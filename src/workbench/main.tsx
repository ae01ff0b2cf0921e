import { render } from "preact";
import { App } from "./shell/app.js";
import { applyTheme, readTheme } from "./shell/theme.js";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/kit.css";

const root = document.getElementById("workbench");
if (root !== null) {
  applyTheme(readTheme());
  // Where the page is, without a file's name: the service is at the same place, also below some path of a proxy.
  const baseUrl = new URL(".", location.href).href.replace(/\/$/, "");
  render(<App baseUrl={baseUrl} />, root);
}
