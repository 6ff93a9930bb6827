/**
 * Sender recovery on the calling thread, in slices.
 * @module
 */
import { loadRecovery } from '../primitives/recovery.ts'
import { recoverAddress } from '../primitives/secp256k1.ts'
import type { Clock, RecoveryTask, SenderRecovery } from './host.ts'
import { TimeSlicer, type YieldToHost } from './yieldToHost.ts'

/** Longest time without a yield. */
const SLICE_MS = 5

export interface InlineRecoveryOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly yieldToHost: YieldToHost
}

/** For hosts without threads, and for batches too small to send to a thread. */
export class InlineRecovery implements SenderRecovery {
  readonly #options: InlineRecoveryOptions

  constructor(options: InlineRecoveryOptions) {
    this.#options = options
  }

  async recover(tasks: readonly RecoveryTask[]): Promise<(Uint8Array | undefined)[]> {
    if (tasks.length > 0) await loadRecovery()
    const addresses: (Uint8Array | undefined)[] = []
    const slicer = new TimeSlicer({ ...this.#options, sliceMs: SLICE_MS })
    for (const task of tasks) {
      if (slicer.isDue) await slicer.yield()
      addresses.push(recoverAddress(task.hash, task.signature, task.yParity))
    }
    return addresses
  }

  close(): void {}
}
