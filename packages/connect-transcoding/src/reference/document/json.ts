// A document can come from a file, so that nothing is known of its members: what has another type than expected is absent.

/** Returns an object; an empty one for any other value. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** Returns the elements of an array; none for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a string; an empty one for any other value. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether an object has a member of its own. */
export function has(value: unknown, name: string): boolean {
  return Object.hasOwn(objectOf(value), name);
}

/** The number of references that can lead to one another. */
const MAX_REFERENCES = 16;

/** Returns the object that a value refers to, or the value itself. Members next to `$ref` replace those of the target. */
export function resolve(document: unknown, value: unknown): Readonly<Record<string, unknown>> {
  let found = objectOf(value);
  for (let count = 0; count < MAX_REFERENCES && textIn(found.$ref) !== ""; count++) {
    const { $ref, ...others } = found;
    found = { ...targetOf(document, textIn($ref)), ...others };
  }
  return found;
}

function targetOf(document: unknown, reference: string): Readonly<Record<string, unknown>> {
  if (!reference.startsWith("#/")) {
    return {};
  }
  const names = reference.slice(2).split("/").map(pointerName);
  return objectOf(
    names.reduce<unknown>((value, name) => (has(value, name) ? objectOf(value)[name] : undefined), document),
  );
}

/** https://www.rfc-editor.org/rfc/rfc6901 */
function pointerName(text: string): string {
  let name = text;
  try {
    name = decodeURIComponent(text);
  } catch {
    // A `%` that encodes nothing is part of the name.
  }
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Returns the name of the component that a value refers to; undefined without a reference to a schema. */
export function schemaName(value: unknown): string | undefined {
  const name = /^#\/components\/schemas\/([^/]+)$/.exec(textIn(objectOf(value).$ref))?.[1];
  return name === undefined ? undefined : pointerName(name);
}
