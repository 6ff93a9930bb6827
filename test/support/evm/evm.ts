import type { Clock } from '../../../src/base/ports/host.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { type ForkName, forkRules } from '../../../src/config/forks.ts'
import type { ExecutionEnvironment, Message } from '../../../src/evm/evm.ts'

export const testClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }

export const SENDER: Uint8Array = hexToBytes('0x1000000000000000000000000000000000000001')
export const CONTRACT: Uint8Array = hexToBytes('0x2000000000000000000000000000000000000002')
export const BENEFICIARY: Uint8Array = hexToBytes('0x3000000000000000000000000000000000000003')

export function environmentOf(fork: ForkName = 'prague'): ExecutionEnvironment {
  const rules = forkRules(fork)
  return {
    chainId: 1n,
    rules,
    contractSizeLimit: undefined,
    block: {
      number: 100n,
      timestamp: 1000n,
      beneficiary: BENEFICIARY,
      gasLimit: 30_000_000n,
      difficulty: 0n,
      prevRandao: new Uint8Array(32),
      baseFeePerGas: rules.eips.has(1559) ? 7n : undefined,
      excessBlobGas: rules.blobs === undefined ? undefined : 0n,
      blockHash: () => undefined,
    },
    transaction: { origin: SENDER, gasPrice: 10n, blobVersionedHashes: [], accessList: [], warmAddresses: [] },
  }
}

export function messageTo(to: Uint8Array | undefined, changes: Partial<Message> = {}): Message {
  return { caller: SENDER, to, value: 0n, data: new Uint8Array(0), gas: 1_000_000n, ...changes }
}
