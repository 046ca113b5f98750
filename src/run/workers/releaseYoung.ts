/**
 * Collects the garbage among new objects, if the process was started with `--expose-gc`. Between two partitions, nearly all of them are
 * garbage. While a partition is converted, V8 would have to move its records, and would keep them until it collects the whole heap.
 *
 * An old object keeps new ones alive, also if it is garbage itself. V8 puts the following among the old objects:
 *
 * - **What was often still alive at a collection.** `--no-allocation-site-pretenuring` switches this off.
 * - **The table of a `WeakMap`** that has grown old. It keeps the values of its entries, and with a value what it leads to.
 * - **The map of a generator function**, which V8 makes on its first call. It keeps the function, and with it all variables around it.
 */
export const releaseYoung = (): void => {
  globalThis.gc?.({ type: "minor", execution: "sync" })
}
