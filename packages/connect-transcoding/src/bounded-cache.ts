/** A map that forgets, so that it never grows beyond its limit. */
export interface BoundedCache<K, V> {
  /** What was kept under the key; undefined when that was never so or is forgotten. */
  get(key: K): V | undefined;
  set(key: K, value: V): void;
}

/**
 * A cache of at most `limit` entries, of which the `limit / 2` used last are always there.
 *
 * There are two maps, a young and an old one. An entry that is set, or found in the old map, goes into the young one;
 * when that is full it becomes the old one, and what was in the old one is forgotten. Finding a young entry writes
 * nothing, which makes this cheaper than an order of use among all entries.
 */
export function boundedCache<K, V>(limit: number): BoundedCache<K, V> {
  const half = Math.max(1, Math.floor(limit / 2));
  let young = new Map<K, V>();
  let old = new Map<K, V>();
  const set = (key: K, value: V): void => {
    if (young.size >= half && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };
  return {
    get(key) {
      const found = young.get(key);
      if (found !== undefined) {
        return found;
      }
      const older = old.get(key);
      if (older !== undefined) {
        set(key, older);
      }
      return older;
    },
    set,
  };
}
