/** Flags of Node that say how large the heap may become, or how fast it may grow; V8 takes `_` for `-`. */
const SIZE_FLAG = /--(?:max[-_](?:old[-_]space|heap)[-_]size|heap[-_]growing[-_]percent)/;

/**
 * The flag of V8 that lets the heap grow by 30 % at the most until the next full garbage collection, which is what V8
 * itself does where `--max-old-space-size` is 256. Unlike that one it can be set while a process runs. Undefined where
 * whoever started the process, by Node's flags or by the value of `NODE_OPTIONS`, has decided about the heap.
 */
export function heapGrowthFlag(nodeFlags: readonly string[], nodeOptions = ""): string | undefined {
  return [...nodeFlags, nodeOptions].some((flags) => SIZE_FLAG.test(flags))
    ? undefined
    : "--heap-growing-percent=30";
}
