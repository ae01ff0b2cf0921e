/** Fields that have a meaning in the repository only. Overrides have none in a package that is installed as a dependency. */
const OWN_FIELDS = [
  "private",
  "workspaces",
  "scripts",
  "devDependencies",
  "optionalDependencies",
  "overrides",
  "allowScripts",
];

/** The bundle of the service has its dependencies. */
const BUNDLED_FIELDS = ["dependencies"];

/** The condition under which the repository's own programs import TypeScript. */
const SOURCE_CONDITION = "utility-tools-source";

/**
 * The manifest that a package is published with: without what only the repository needs, and with the links of
 * release.config.json that are filled in.
 *
 * @param folder of the package in the repository; empty for the service
 */
export function publishedManifest(manifest, folder, { repository, homepage, bugs }) {
  const omitted = [...OWN_FIELDS, ...(folder === "" ? BUNDLED_FIELDS : [])];
  const kept = Object.entries(manifest).filter(([name]) => !omitted.includes(name));
  const { name, version, description, license, ...rest } = withoutSource(Object.fromEntries(kept));
  return {
    name,
    version,
    description,
    license,
    ...(homepage && { homepage }),
    ...(bugs && { bugs: { url: bugs } }),
    ...(repository && {
      repository: { type: "git", url: `git+${repository}.git`, ...(folder !== "" && { directory: folder }) },
    }),
    // npm publishes scoped packages as private ones otherwise.
    publishConfig: { access: "public" },
    ...rest,
  };
}

/** The same JSON without the exports and imports of TypeScript. */
function withoutSource(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== SOURCE_CONDITION)
      .map(([name, each]) => [name, withoutSource(each)]),
  );
}
