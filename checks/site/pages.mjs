import { dirname, posix } from "node:path";

const COMMENT = /^ *<!--[\s\S]*?-->\n?/gm;
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/**
 * Returns a page of the repository as a page of the site. `README.md` is `index.md` there. A link to a file without a page leads to the
 * repository, or is only text as long as `release.config.json` has no repository. Comments, which mark generated parts, are left out.
 *
 * @param {string} file its path from the root of the repository
 * @param {string} text
 * @param {string} repository the URL of the repository; empty if it is not known
 */
export function pageOf(file, text, repository) {
  const change = (part) =>
    part.replaceAll(COMMENT, "").replace(LINK, (link, mark, label, target) => {
      if (mark === "!" || /^(?:[a-z][a-z+.-]*:|#)/i.test(target)) {
        return link;
      }
      const [path, anchor] = target.split("#");
      const there = posix.join(dirname(file), path).replace(/\/$/, "");
      if (there.endsWith(".md") && !there.startsWith(".github/")) {
        return `[${label}](${[path.replace(/README\.md$/, "index.md"), anchor].filter(Boolean).join("#")})`;
      }
      return repository === "" ? label : `[${label}](${repository}/blob/main/${there})`;
    });
  return splitAtCode(text)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}

/**
 * Returns the start page: the front matter of a home page, and what README says below its title.
 *
 * @param {string} front
 * @param {string} readme
 */
export function startPage(front, readme) {
  return `${front}\n${readme.replace(/^# .*\n/, "")}`;
}

/** The parts of a text between blocks of code, and these blocks, in turn. Links may have code in their labels. */
function splitAtCode(text) {
  return text.split(/(^ *```[\s\S]*?^ *```$)/m);
}
