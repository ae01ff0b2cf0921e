/** Returns a function that creates a value when it is first called, and returns the same value afterwards. */
export function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
