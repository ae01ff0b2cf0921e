/** A map of limited size. */
export interface BoundedCache<K, V> {
  /** Returns the value of a key; undefined if it was never set or has been removed. */
  get(key: K): V | undefined;
  set(key: K, value: V): void;
}

/**
 * Creates a cache of at most `limit` entries. It always contains the `limit / 2` entries that were used last.
 *
 * It has two maps, a young and an old one. An entry that is set, or found in the old map, is put into the young one. When that is
 * full, it replaces the old one. Finding a young entry writes nothing, which is cheaper than an order of use of all entries.
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
