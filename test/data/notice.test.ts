import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_FOLDER } from "../../src/installed-package.js";
import { parseSources } from "../../src/tools/countries/parse-countries.js";
import { loadInstalledLists } from "../../src/tools/email/load-email.js";
import { dataText } from "./load-countries.js";

const read = (path: string) => readFileSync(join(PACKAGE_FOLDER, path), "utf8");
const notice = read("NOTICE");

/** The lines of NOTICE with a source and its license. */
const LINES = notice.split("\n").filter((line) => /^\S/.test(line));

it("NOTICE has the version or the date of each package that data comes from", () => {
  const sources: Readonly<Record<string, readonly Record<string, string>[]>> = JSON.parse(
    dataText("SOURCES.json"),
  );
  const missing = Object.values(sources)
    .flat()
    .flatMap(({ name = "", version = "", builtAt, date }) => {
      const edition = builtAt?.slice(0, 10) ?? version;
      const short = name.replace("IP to City", "City");
      const found = LINES.some(
        (line) => line.includes(short) && line.includes(edition) && line.includes(date ?? ""),
      );
      return found ? [] : [`${short} ${edition}`];
    });
  expect(missing).toEqual([]);
  const { dependencies } = JSON.parse(read("package.json"));
  expect(notice).toContain(`tz-lookup ${dependencies["@photostructure/tz-lookup"]},`);
  const build = JSON.parse(read("data/build/package.json"));
  expect(notice).toContain(`world-atlas ${build.devDependencies["world-atlas"]},`);
});

it("NOTICE has the date of the project's own tables and lists", async () => {
  const countries = parseSources(JSON.parse(dataText("SOURCES.json")));
  const lists = await loadInstalledLists();
  const sources = [...(countries.ok ? countries.value : []), ...(lists.ok ? lists.value.sources : [])];
  const own = sources.filter(({ publisher }) => publisher === "Utility Tools");
  expect(own.map(({ version }) => notice.includes(`(${version})`))).toEqual([true, true]);
});
