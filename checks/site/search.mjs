// The site has the functions of both options as text: they must not use anything outside of themselves.

/** The options of the search's index, for MiniSearch (https://lucaong.github.io/minisearch). Words that say nothing of a page are left out. */
export const INDEX_OPTIONS = {
  processTerm: (term) =>
    /^(?:an?|and|are|as|at|be|by|can|do|for|from|how|in?|is|its?|my|of|on|or|per|that|the|this|to|what|when|with(?:out)?)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
};

/** How results are ranked. Users come before those who change the code. */
export const SEARCH_OPTIONS = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 3, text: 2, titles: 1 },
  boostDocument: (id) =>
    id.includes("/docs/tools/") ? 1.5 : /\/docs\/(?:guide|reference|tutorials)\//.test(id) ? 1.2 : 0.8,
};

/** Folders and files whose pages a search does not find: history, and what concerns the code alone. */
const NOT_SEARCHED = /^(?:CHANGELOG|docs\/adr\/|checks\/|packages\/[\w-]+\/checks\/)/;

/**
 * The text of a page for the index. The words of its front matter, `keywords`, are the first ones below its title.
 *
 * @param {string} html
 * @param {{ relativePath: string; frontmatter?: { search?: boolean; keywords?: string } }} page
 */
export function searchedText(html, { relativePath, frontmatter: { search = true, keywords } = {} }) {
  if (!search || NOT_SEARCHED.test(relativePath)) {
    return "";
  }
  return keywords === undefined ? html : html.replace("</h1>", `</h1><p>${keywords}</p>`);
}
