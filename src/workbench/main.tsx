import { render } from "preact";
import { App } from "./shell/app.js";
import "./styles/base.css";
import "./styles/kit.css";
import "./styles/shell.css";
import "./styles/drawer.css";

const root = document.getElementById("workbench");
if (root !== null) {
  // The service has the URL of the page without the file name, also below a path prefix of a proxy.
  const baseUrl = new URL(".", location.href).href.replace(/\/$/, "");
  render(<App baseUrl={baseUrl} />, root);
  // After the panel, which the user waits for. Without it, the page needs the network, as before.
  addEventListener("load", () => {
    navigator.serviceWorker?.register("workbench/offline.js", { scope: "./" }).catch(() => {});
  });
}
