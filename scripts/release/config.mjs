/** The fields of release.config.json, with an example of each. */
export const EXAMPLE_CONFIG = {
  repository: "https://github.com/example/utility-tools",
  homepage: "https://example.github.io/utility-tools/",
  bugs: "https://github.com/example/utility-tools/issues",
  image: "ghcr.io/example/utility-tools",
  owner: "example",
};

/** A user of npm. */
const OWNER = /^[a-z0-9][a-z0-9._-]*$/;
/** A host, at least one folder, and a name in lower case, without a tag. */
const IMAGE = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)+$/;

/** Says what is wrong with the content of release.config.json, a sentence for each field; empty if nothing is. */
export function configProblems(config) {
  const unknown = Object.keys(config).filter((name) => !(name in EXAMPLE_CONFIG));
  return [
    ...Object.entries(EXAMPLE_CONFIG).flatMap(([name, example]) => {
      const value = config[name];
      if (value === undefined || value === "") {
        return [`release.config.json has no "${name}": write one, such as "${example}"`];
      }
      return isValid(name, value)
        ? []
        : [`"${name}" in release.config.json is ${JSON.stringify(value)}: write one such as "${example}"`];
    }),
    ...unknown.map((name) => `release.config.json has the unknown field "${name}"`),
  ];
}

function isValid(name, value) {
  if (typeof value !== "string") {
    return false;
  }
  if (name === "image") {
    return IMAGE.test(value);
  }
  if (name === "owner") {
    return OWNER.test(value);
  }
  // Links to files are made by adding a path to the repository.
  return (
    URL.canParse(value) &&
    /^https?:$/.test(new URL(value).protocol) &&
    !(name === "repository" && value.endsWith("/"))
  );
}
