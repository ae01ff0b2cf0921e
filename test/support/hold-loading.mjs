// With `--import`, never finishes loading the service's commands, and says so on standard error.
import { register } from "node:module";

const hooks = `
  import { writeSync } from "node:fs";
  export async function load(url, context, next) {
    if (url.endsWith("/run-service.js")) {
      writeSync(2, "loading\\n");
      await new Promise(() => undefined);
    }
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
// A pending import does not keep the process alive.
setInterval(() => undefined, 1_000);
