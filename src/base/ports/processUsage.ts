/** Resources that the process uses. A member is undefined on a runtime that does not report it. */
export interface ProcessUsage {
  /** CPU time of all threads, user and system, seconds. */
  readonly cpuSeconds?: number | undefined
  readonly residentBytes?: number | undefined
  readonly heapUsedBytes?: number | undefined
  readonly heapTotalBytes?: number | undefined
  /** Memory of the runtime outside its heap, such as buffers. */
  readonly externalBytes?: number | undefined
  /** Start of the process, seconds since 1970. */
  readonly startSeconds?: number | undefined
  readonly openFiles?: number | undefined
  readonly maxFiles?: number | undefined
  /** Disk space of the database. */
  readonly storeBytes?: number | undefined
  /** Garbage collections since the start, by kind. */
  readonly collections?: ReadonlyMap<string, { readonly count: number; readonly seconds: number }> | undefined
}

/** Reads the usage; called for each scrape. */
export type ReadProcessUsage = () => ProcessUsage
