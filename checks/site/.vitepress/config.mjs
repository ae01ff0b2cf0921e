import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { INDEX_OPTIONS, SEARCH_OPTIONS, searchedText } from "../search.mjs";

const INDEX = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "README.md"), "utf8");

/** The navigation: the sections of the index with its links. */
const sidebar = INDEX.split(/^## /m)
  .slice(1)
  .map((section) => ({
    text: section.split("\n", 1)[0],
    items: [...section.matchAll(/\[([^\]]+)\]\(([^)#\s]+\.md)\)/g)].map(([, text, path]) => ({
      text: text[0].toUpperCase() + text.slice(1),
      link: join("/docs", path.replace(/README\.md$/, "index.md")),
    })),
  }));

/** The anchor that GitHub gives to a heading, which the links of the documents have. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

export default defineConfig({
  title: "Utility Tools",
  description: "One-time passwords, countries, IP geolocation, e-mail addresses and QR codes on one port",
  srcDir: "pages",
  ignoreDeadLinks: "localhostLinks",
  // The raw HTML of Markdown is text, so that <name> in a sentence is no tag.
  markdown: {
    html: false,
    anchor: { slugify },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  // An icon in `head` would not have the base of the site.
  transformHead: ({ siteData }) => [
    ["link", { rel: "icon", href: `${siteData.base}icon.svg`, type: "image/svg+xml" }],
  ],
  themeConfig: {
    logo: "/icon.svg",
    nav: [{ text: "All documents", link: "/docs/" }],
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: { options: INDEX_OPTIONS, searchOptions: SEARCH_OPTIONS },
        _render: (text, page, markdown) => searchedText(markdown.render(text, page), page),
      },
    },
  },
});
