// With `--import`, holds the loading of the service's commands for ever, and says so on standard error.
import { register } from "node:module";

const hooks = `
  import { writeSync } from "node:fs";
  export async function load(url, context, next) {
    if (url.endsWith("/service/run-service.js")) {
      writeSync(2, "loading\\n");
      await new Promise(() => undefined);
    }
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
// What is loaded does not keep a process that has nothing else to do.
setInterval(() => undefined, 1_000);
