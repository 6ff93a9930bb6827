/**
 * Applies system calls to the contracts of the EIPs directly, without running their code, where the effect is known.
 * Each block makes up to four such calls, and most of them write at most two slots. The contracts are recognised by
 * their code hash; all other code is executed.
 * @see EIP-2935, EIP-4788, EIP-7002, EIP-7251
 * @module
 */

import { bigIntToBytesPadded, equalBytes, hexToBytes, isZeroBytes, uintBytes } from '../../base/primitives/bytes.ts'
import type { BlockEnvironment } from '../../evm/evm.ts'
import type { MutableState } from '../../state/contract.ts'

/** The system call to make. */
export interface DirectCall {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly data: Uint8Array
  readonly block: Pick<BlockEnvironment, 'number' | 'timestamp'>
}

/**
 * Applies the call to the state. May throw `StoreMiss`; the call can then be repeated.
 * @returns false when the code must be executed; the state is then unchanged
 */
type Direct = (call: DirectCall, state: MutableState) => boolean

/** EIP-4788 and EIP-2935: length of their ring buffers. */
export const HISTORY_LENGTH = 8191n
const WORD_BYTES = 32
/** EIP-7002 and EIP-7251: excess, count, head and tail of the request queue. */
const QUEUE_SLOTS: readonly Uint8Array[] = [0n, 1n, 2n, 3n].map(word)

const HISTORY_CODE_HASH = hexToBytes('6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d')

const DIRECT: readonly { readonly codeHash: Uint8Array; readonly apply: Direct }[] = [
  {
    codeHash: hexToBytes('f57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c'),
    apply: storeBeaconRoot,
  },
  {
    codeHash: HISTORY_CODE_HASH,
    apply: storeParentHash,
  },
  {
    codeHash: hexToBytes('0345a365d2f4c5975b9f1599abe0a2ee76b7a3a731bc68781bd04c84e4858f50'),
    apply: takeNoRequests,
  },
  {
    codeHash: hexToBytes('78c6cb5202685228bbcbfb992b1c4e116c7ec5ef11e25b8e92716cfc628ddd60'),
    apply: takeNoRequests,
  },
]

/**
 * Applies a system call that succeeds without output, if its contract is known.
 * @returns false when the code must be executed
 */
export function callDirectly(call: DirectCall, state: MutableState): boolean {
  const codeHash = state.getAccount(call.address)?.codeHash
  if (codeHash === undefined) return false
  const direct = DIRECT.find((contract) => equalBytes(contract.codeHash, codeHash))
  return direct?.apply(call, state) ?? false
}

function storeBeaconRoot({ address, data, block }: DirectCall, state: MutableState): boolean {
  if (data.length !== WORD_BYTES) return false
  const index = block.timestamp % HISTORY_LENGTH
  state.setStorage(address, word(index), word(block.timestamp))
  state.setStorage(address, word(index + HISTORY_LENGTH), data)
  return true
}

function storeParentHash({ address, data, block }: DirectCall, state: MutableState): boolean {
  if (data.length !== WORD_BYTES) return false
  state.setStorage(address, word((block.number - 1n) % HISTORY_LENGTH), data)
  return true
}

/**
 * EIP-2935: stores the hashes of blocks between the newest block that the contract knows and the parent. May throw
 * `StoreMiss`; the call can then be repeated.
 * @param numbers of the blocks, ascending, at most HISTORY_LENGTH
 */
export function storePastHashes(
  address: Uint8Array,
  numbers: Iterable<number>,
  hashOf: (number: number) => Uint8Array,
  state: MutableState,
): void {
  const codeHash = state.getAccount(address)?.codeHash
  // Other code at this address has its own storage.
  if (codeHash === undefined || !equalBytes(codeHash, HISTORY_CODE_HASH)) return
  const length = Number(HISTORY_LENGTH)
  for (const number of numbers) state.setStorage(address, uintBytes(number % length, WORD_BYTES), hashOf(number))
}

/** Without requests and with no excess to decrease, the contract rewrites the values it already has. */
function takeNoRequests({ address }: DirectCall, state: MutableState): boolean {
  return QUEUE_SLOTS.every((slot) => isZeroBytes(state.getStorage(address, slot)))
}

function word(value: bigint): Uint8Array {
  return bigIntToBytesPadded(value, WORD_BYTES)
}
