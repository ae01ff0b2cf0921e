import { render } from "preact";
import { App } from "./shell/app.js";
import { applyTheme, readTheme } from "./shell/theme.js";
import "./styles/base.css";
import "./styles/kit.css";
import "./styles/shell.css";
import "./styles/drawer.css";

const root = document.getElementById("workbench");
if (root !== null) {
  applyTheme(readTheme());
  // The service has the URL of the page without the file name, also below a path prefix of a proxy.
  const baseUrl = new URL(".", location.href).href.replace(/\/$/, "");
  render(<App baseUrl={baseUrl} />, root);
}
