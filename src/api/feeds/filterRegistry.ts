/**
 * Installed filters, polled for changes.
 * @see docs/reference/eth-objects.md section 10
 * @module
 */
import type { LogFilter } from '../logFilter.ts'
import type { LogView } from '../viewTypes.ts'

/** Result of eth_getFilterChanges: hashes for block and transaction filters, logs for log filters. */
export type FilterChanges =
  | { readonly kind: 'hashes'; readonly hashes: readonly Uint8Array[] }
  | { readonly kind: 'logs'; readonly logs: readonly LogView[] }

/** Ids are 16 random bytes as a quantity. */
export interface FilterRegistry {
  installBlockFilter(): bigint
  installPendingTransactionFilter(): bigint
  installLogFilter(filter: LogFilter): bigint
  /** @throws {NodeError} FILTER_NOT_FOUND */
  changes(id: bigint): FilterChanges
  /** @throws {NodeError} LOGS_FILTER_NOT_FOUND */
  logFilter(id: bigint): LogFilter
  /** @returns whether the filter existed */
  uninstall(id: bigint): boolean
}
