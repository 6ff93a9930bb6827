import type { Residency } from '../../../base/ports/keyValueStore.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { retryMisses } from '../../../storage/retryMisses.ts'

/** Attempts after which a chain that removes blocks again and again is given up. */
const MAX_ATTEMPTS = 4

export interface SettledBackend {
  readonly chain: ChainReader
  readonly residency?: Residency | undefined
}

/**
 * Repeats work over several blocks until none of them was removed while it ran. New blocks on top are no reason.
 * @throws {NodeError} CHAIN_MOVED
 */
export async function onSettledChain<T>({ chain, residency }: SettledBackend, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { hash } = chain.head
    const isSettled = () => retryMisses(() => chain.isCanonical(hash), residency)
    try {
      const answer = await work()
      if (await isSettled()) return answer
    } catch (error) {
      // Whether it failed because a block was removed is not known.
      if (await isSettled()) throw error
    }
    if (attempt === MAX_ATTEMPTS) {
      throw new NodeError({ code: 'CHAIN_MOVED' }, 'blocks were removed while they were searched')
    }
  }
}
