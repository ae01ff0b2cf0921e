/** The heading of the entries that have no version yet. */
export const UNRELEASED = "Unreleased";

/** The entries of a changelog under a heading, without the heading; empty if there are none. */
export function sectionOf(changelog, heading) {
  const start = changelog.split("\n").findIndex((line) => line.startsWith(`## [${heading}]`));
  if (start < 0) {
    return "";
  }
  const lines = changelog.split("\n").slice(start + 1);
  const end = lines.findIndex((line) => line.startsWith("## "));
  return lines
    .slice(0, end < 0 ? undefined : end)
    .join("\n")
    .trim();
}

/** The changelog with a heading for a version above the entries that have none. */
export function datedChangelog(changelog, version, date) {
  return changelog.replace(`## [${UNRELEASED}]\n`, `## [${UNRELEASED}]\n\n## [${version}] - ${date}\n`);
}
