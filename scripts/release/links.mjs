import { posix } from "node:path";

/** Links and pictures of Markdown: the mark of a picture, the text, and the target. */
const LINK = /(!?)\[([^[\]]*)\]\(([^)\s]+)\)/g;
/** Blocks of code, which have no links. */
const CODE_BLOCK = /(^```[\s\S]*?^```$)/m;

/**
 * Makes the links to other files of the repository absolute, with the version of a tag: a package does not have these files.
 *
 * @param folder of the page in the repository; empty for the root
 * @throws Error for a link that leaves the repository
 */
export function absoluteLinks(page, folder, { repository, tag }) {
  const absolute = (target, kind) => {
    const [path, ...anchor] = target.split("#");
    const file = posix.join(folder, path).replace(/\/$/, "");
    if (file.startsWith("..")) {
      throw new Error(`the link ${target} in the folder "${folder}" leaves the repository`);
    }
    return [`${repository}/${kind}/${tag}/${file}`, ...anchor].join("#");
  };
  const change = (text) =>
    text.replace(LINK, (link, mark, label, target) =>
      /^([a-z][a-z+.-]*:|#)/i.test(target)
        ? link
        : `${mark}[${label}](${absolute(target, mark === "!" ? "raw" : "blob")})`,
    );
  return page
    .split(CODE_BLOCK)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}
