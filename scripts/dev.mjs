// `npm run dev`: runs the service from its sources, and starts it again when a source changes. Builds the page again when it
// changes. Arguments and the environment are those of `npm start`.
import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { build } from "vite";

/** What the service loads. */
const FOLDERS = [
  "src",
  "gen",
  "packages/http-server/src",
  "packages/connect-transcoding/src",
  "packages/operations/src",
  "client/src",
];

/** Milliseconds without a change before the service starts: one save can change several files. */
const PAUSE = 100;

let service;
let timer;

function restart() {
  service?.kill("SIGKILL");
  const flags = ["--enable-source-maps", "--import", "./packages/testing/typescript.mjs"];
  service = spawn(process.execPath, [...flags, "src/main.ts", ...process.argv.slice(2)], {
    stdio: "inherit",
  });
}

function restartSoon() {
  clearTimeout(timer);
  timer = setTimeout(restart, PAUSE);
}

process.on("exit", () => service?.kill("SIGKILL"));
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => process.exit(0));
}
// npm passes signals to its shell, which ends without passing them on.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.exit(0), 500).unref();

const page = await build({ build: { watch: {} } });
page.on("event", (event) => {
  if (event.code === "ERROR") {
    console.error(event.error.message);
  } else if (event.code === "END") {
    restartSoon();
  }
});
for (const folder of FOLDERS.filter((each) => existsSync(each))) {
  watch(folder, { recursive: true }, (_, file) => {
    // The build of the page watches its own sources.
    if (!file?.startsWith("workbench/")) {
      restartSoon();
    }
    // Such as a folder that is deleted while Node reads it.
  }).on("error", restartSoon);
}
