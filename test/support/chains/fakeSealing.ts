import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { RemoteSealing, SealingWork, ShareOutcome } from '../../../src/sealing/contract.ts'

export function workAt(number: number, parent = number - 1): SealingWork {
  const filled = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
  return {
    number: BigInt(number),
    powHash: filled(number),
    seedHash: new Uint8Array(32),
    target: filled(255),
    parentHash: filled(parent),
  }
}

/** Work without blocks: nonces that begin with 1 solve it. */
export class FakeSealing implements RemoteSealing {
  current: SealingWork | undefined = workAt(1)
  readonly shares: { readonly powHash: Uint8Array; readonly nonce: Uint8Array }[] = []
  readonly hashrates: bigint[] = []
  readonly #listeners = new Set<(work: SealingWork) => void>()

  work(): SealingWork {
    if (this.current === undefined)
      throw new NodeError({ code: 'NO_MINING_WORK_FOUND' }, 'no mining work available yet')
    return this.current
  }

  submit(powHash: Uint8Array, nonce: Uint8Array): ShareOutcome {
    this.shares.push({ powHash, nonce })
    const isCurrent = powHash.length === 32 && powHash[0] === Number(this.work().number)
    if (!isCurrent) return 'stale'
    return nonce[0] === 1 ? 'accepted' : 'invalid'
  }

  reportHashrate(_id: Uint8Array, rate: bigint): boolean {
    if (rate === 0n) return false
    this.hashrates.push(rate)
    return true
  }

  onWork(listener: (work: SealingWork) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  offer(work: SealingWork): void {
    this.current = work
    for (const listener of this.#listeners) listener(work)
  }
}
