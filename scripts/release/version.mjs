/** A version, with or without the name and the number of a prerelease. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([a-z]+)\.(0|[1-9]\d*))?$/;

export function isVersion(text) {
  return VERSION.test(text);
}

export function isPrerelease(version) {
  return version.includes("-");
}

/** Compares two versions, as `Array.prototype.sort` expects it. A prerelease is older than its release. */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map(partsOf);
  const index = left.findIndex((part, at) => part !== right[at]);
  if (index < 0) {
    return 0;
  }
  return left[index] < right[index] ? -1 : 1;
}

/** The parts of a version in the order of their weight. */
function partsOf(version) {
  const [, major, minor, patch, name, number] = VERSION.exec(version) ?? [];
  // "~" is after every name, as a release is after its prereleases.
  return [Number(major), Number(minor), Number(patch), name ?? "~", Number(number ?? 0)];
}
