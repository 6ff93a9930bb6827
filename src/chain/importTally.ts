import type { Clock } from '../base/ports/host.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { ImportOutcome } from './contract.ts'
import type { ImportProgress } from './importReport.ts'
import type { PreparedBlock } from './preparedBlock.ts'

const GAS_PER_MEGAGAS = 1e6
const MS_PER_SECOND = 1000

/** Counts imported blocks. */
export class ImportTally {
  readonly #clock: Clock
  readonly #totalBytes: number | undefined
  readonly #startedMs: number
  #lastBlock: bigint | undefined
  #imported = 0
  #skipped = 0
  #transactions = 0
  #gasUsed = 0n
  #bytesRead = 0

  constructor(clock: Clock, totalBytes: number | undefined) {
    this.#clock = clock
    this.#totalBytes = totalBytes
    this.#startedMs = clock.monotonic()
  }

  read(bytesRead: number, skipped: number): void {
    this.#bytesRead = bytesRead
    this.#skipped += skipped
  }

  /** @returns why the block was not accepted */
  count(outcome: ImportOutcome, { block }: PreparedBlock): string | undefined {
    switch (outcome.kind) {
      case 'imported':
        this.#imported++
        this.#transactions += block.transactions.length
        this.#gasUsed += block.header.gasUsed
        this.#lastBlock = block.header.number
        return undefined
      case 'known':
        this.#skipped++
        return undefined
      case 'invalid':
        return outcome.reason
      case 'unknownParent':
        return `unknown parent ${bytesToHex(outcome.parentHash)}`
      case 'future':
        return `timestamp ${outcome.timestamp} is in the future`
    }
  }

  progress(): ImportProgress {
    const elapsedMs = this.#clock.monotonic() - this.#startedMs
    const seconds = Math.max(elapsedMs, 1) / MS_PER_SECOND
    const remaining = this.#totalBytes === undefined ? undefined : Math.max(0, this.#totalBytes - this.#bytesRead)
    return {
      lastBlock: this.#lastBlock,
      imported: this.#imported,
      skipped: this.#skipped,
      transactions: this.#transactions,
      gasUsed: this.#gasUsed,
      elapsedMs,
      blocksPerSecond: this.#imported / seconds,
      megagasPerSecond: Number(this.#gasUsed) / GAS_PER_MEGAGAS / seconds,
      bytesRead: this.#bytesRead,
      remainingMs:
        remaining === undefined || this.#bytesRead === 0 ? undefined : (elapsedMs * remaining) / this.#bytesRead,
    }
  }
}
