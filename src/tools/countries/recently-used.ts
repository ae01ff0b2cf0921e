/**
 * Makes a function that makes a value for each key once, and keeps those of the `limit` keys that were asked for last.
 * A key that comes back after being forgotten gets a new value.
 *
 * It is for few and large values, of which all `limit` are to be there; a bounded cache is cheaper, but sure of half of them.
 */
export function recentlyUsed<K, V>(limit: number, make: (key: K) => V): (key: K) => V {
  // A map keeps the order in which its keys were set: the first one is the one that was not asked for for longest.
  const values = new Map<K, { readonly value: V }>();
  let last: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (last !== undefined && last.key === key) {
      return last.value;
    }
    const { value } = values.get(key) ?? { value: make(key) };
    values.delete(key);
    values.set(key, { value });
    for (const oldest of values.keys()) {
      if (values.size <= limit) {
        break;
      }
      values.delete(oldest);
    }
    last = { key, value };
    return value;
  };
}
