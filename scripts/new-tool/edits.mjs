/** Inserts a text before the first match of an anchor. Returns undefined if there is none. */
function insertBefore(content, anchor, text) {
  const index = content.indexOf(anchor);
  return index === -1 ? undefined : content.slice(0, index) + text + content.slice(index);
}

/** Adds an entry to the list `Added` of unreleased changes. A release leaves nothing there, not even the heading. */
function addToChangelog(content, entry) {
  const [head, added = ""] = /^## \[Unreleased\]\n(?:(?!\n## )[\s\S])*?(\n### Added\n\n(?:.+\n)*)/m.exec(
    content,
  ) ?? [/^## \[Unreleased\]\n/m.exec(content)?.[0]];
  const text = added === "" ? `\n### Added\n\n${entry}\n` : `${entry}\n`;
  return head === undefined ? undefined : content.replace(head, () => head + text);
}

/** The files that list the tools. `edit` returns the content with the new one, or undefined if it finds no place for it. */
export const EDITS = [
  {
    path: "src/tools/load-tools.ts",
    edit: (content, { Pascal, kebab }) =>
      insertBefore(
        content,
        `  {\n    service: "utilitytools.v1.AboutService",`,
        `  { service: "utilitytools.v1.${Pascal}Service", module: () => import("./${kebab}/${kebab}-service.js") },\n`,
      ),
  },
  {
    path: "src/workbench/panels.ts",
    edit: (content, { camel, kebab, Pascal, Title }) =>
      insertBefore(
        content,
        "];\n\n/** The panels of tools",
        `  {
    id: "${kebab}",
    title: "${Title}",
    about: "Texts in upper case",
    service: "${camel}",
    words: "${kebab.replaceAll("-", " ")} upper case text",
    load: () => import("./panels/${kebab}/${kebab}-panel.js").then((module) => module.${Pascal}Panel),
  },
`,
      ),
  },
  {
    path: "docs/README.md",
    edit: (content, { Title, kebab }) =>
      insertBefore(
        content,
        "| call it from TypeScript,",
        `| convert texts to upper case | [${Title}](tools/${kebab}.md) |\n`,
      ),
  },
  {
    path: "docs/reference/command-line.md",
    edit: (content, { kebab }) =>
      insertBefore(content, "| `about` |", `| \`${kebab} TEXT...\` | convert texts to upper case |\n`),
  },
  {
    path: "CHANGELOG.md",
    edit: (content, { Pascal, kebab }) =>
      addToChangelog(content, `- The tool \`${kebab}\`: \`${Pascal}Service\` converts texts to upper case.`),
  },
];
