import type { StoredLogs } from '../chain/contract.ts'
import type { LogLocation } from '../types/storedLogs.ts'

/** Receives the logs that a scan finds, in order. */
export interface LogCollector {
  /** Number of logs received. */
  readonly count: number
  /**
   * @param log valid only during the call
   * @param removed whether the block is not canonical, or no longer canonical
   * @throws {NodeError} RANGE_TOO_LARGE
   */
  add(log: LogLocation, block: StoredLogs, removed: boolean): void
}

/** First and last block number. */
export interface LogRange {
  readonly from: number
  readonly to: number
}
