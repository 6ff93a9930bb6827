import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bigIntToBytesPadded, bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import {
  BEACON_ROOTS_ADDRESS,
  CONSOLIDATION_REQUEST_ADDRESS,
  HISTORY_STORAGE_ADDRESS,
  WITHDRAWAL_REQUEST_ADDRESS,
} from '../../../../src/chain/transition/systemAddresses.ts'
import { callDirectly } from '../../../../src/chain/transition/systemContracts.ts'
import { devGenesis } from '../../../../src/config/devGenesis.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import type { Evm } from '../../../../src/evm/evm.ts'
import { MemoryState } from '../../../support/chains/memoryState.ts'
import { environmentOf, testClock } from '../../../support/evm/evm.ts'
import { loadTestEvm } from '../../../support/evm/testEvm.ts'

const SYSTEM = hexToBytes('0xfffffffffffffffffffffffffffffffffffffffe')
const CODES = devGenesis()['alloc'] as Record<string, { code?: string }>
const word = (value: bigint): Uint8Array => bigIntToBytesPadded(value, 32)

let evm: Evm
beforeAll(async () => {
  evm = await loadTestEvm(testClock)
})

type Storage = readonly (readonly [slot: bigint, value: bigint])[]

function stateOf(address: Uint8Array, storage: Storage, code = CODES[bytesToHex(address)]?.code ?? ''): MemoryState {
  const state = new MemoryState()
  state.setCode(address, hexToBytes(code))
  for (const [slot, value] of storage) state.setStorage(address, word(slot), word(value))
  state.beginTransaction()
  return state
}

const inRing = fc.bigInt(0n, 20_000n)
const queue = fc.constantFrom(0n, 0n, 0n, 1n, 3n, 2n ** 256n - 1n)

describe.each([
  ['EIP-4788', BEACON_ROOTS_ADDRESS, 32],
  ['EIP-2935', HISTORY_STORAGE_ADDRESS, 32],
  ['EIP-7002', WITHDRAWAL_REQUEST_ADDRESS, 0],
  ['EIP-7251', CONSOLIDATION_REQUEST_ADDRESS, 0],
] as const)('the contract of %s', (_, address, inputBytes) => {
  it('has the same state after a direct call as after executing its code', async () => {
    const property = fc.asyncProperty(
      inRing,
      inRing,
      fc.tuple(queue, queue, queue, queue),
      async (number, time, slots) => {
        const storage: Storage = slots.map((value, slot) => [BigInt(slot), value] as const)
        const { block, ...environment } = environmentOf('osaka')
        const place = { ...block, number: number + 1n, timestamp: time }
        const data = new Uint8Array(inputBytes).fill(0xab)
        const [direct, executed] = [stateOf(address, storage), stateOf(address, storage)]
        const message = { caller: SYSTEM, to: address, value: 0n, data, gas: 30_000_000n }
        const isDone = callDirectly({ address, data, block: place }, direct)
        const result = await runMessage(evm, message, { ...environment, block: place }, executed)
        if (!isDone) return
        expect(result).toMatchObject({ outcome: 'success', output: new Uint8Array(0) })
        const touched = [0n, 1n, 2n, 3n, number % 8191n, time % 8191n, (time % 8191n) + 8191n]
        for (const slot of touched) {
          expect(direct.getStorage(address, word(slot)), `slot ${slot}`).toEqual(
            executed.getStorage(address, word(slot)),
          )
        }
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })

  it('is called directly when its queue is empty, and executed when its code differs', () => {
    const call = { address, data: new Uint8Array(inputBytes).fill(1), block: { number: 5n, timestamp: 9n } }
    expect(callDirectly(call, stateOf(address, []))).toBe(true)
    expect(callDirectly(call, stateOf(address, [], '0x5f5ff3'))).toBe(false)
    expect(callDirectly(call, new MemoryState())).toBe(false)
  })
})
