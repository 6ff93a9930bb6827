/**
 * Sender recovery on the calling thread, in slices.
 * @module
 */
import { recoverAddress } from '../primitives/secp256k1.ts'
import type { RecoveryTask, SenderRecovery } from './host.ts'

/** Longest time without letting the host do something else. */
const SLICE_MS = 5

export interface InlineRecoveryOptions {
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Lets the host's other work run; the default waits for a timer. */
  readonly breathe?: () => Promise<void>
}

function timerTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** For hosts without threads, and for batches too small to be worth a message. */
export class InlineRecovery implements SenderRecovery {
  readonly #monotonic: () => number
  readonly #breathe: () => Promise<void>

  constructor({ monotonic, breathe = timerTurn }: InlineRecoveryOptions) {
    this.#monotonic = monotonic
    this.#breathe = breathe
  }

  async recover(tasks: readonly RecoveryTask[]): Promise<(Uint8Array | undefined)[]> {
    const addresses: (Uint8Array | undefined)[] = []
    let sliceEnd = this.#monotonic() + SLICE_MS
    for (const task of tasks) {
      if (this.#monotonic() >= sliceEnd) {
        await this.#breathe()
        sliceEnd = this.#monotonic() + SLICE_MS
      }
      addresses.push(recoverAddress(task.hash, task.signature, task.yParity))
    }
    return addresses
  }

  close(): void {}
}
