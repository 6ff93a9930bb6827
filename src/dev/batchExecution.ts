/**
 * Calls of a batch executor: a contract that makes the calls of an account in one transaction, which an account delegates to
 * (EIP-7702).
 * @see ERC-7821
 * @module
 */
import { bigIntToBytesPadded, concatBytes, hexToBytes } from '../base/primitives/bytes.ts'

export interface ExecutedCall {
  /** 20 bytes; the zero address stands for the account itself */
  readonly to: Uint8Array
  /** wei */
  readonly value: bigint
  readonly data: Uint8Array
}

const WORD_BYTES = 32
/** execute(bytes32,bytes) */
const EXECUTE = hexToBytes('0xe9ae5c53')
/** supportsExecutionMode(bytes32) */
const SUPPORTS_EXECUTION_MODE = hexToBytes('0xd03c7914')
/** A single batch without signed data of an operator; all calls succeed, or all revert. */
const SINGLE_BATCH = new Uint8Array(WORD_BYTES)
SINGLE_BATCH[0] = 1

/** Input of the question whether a contract executes batches; the answer is a word with a boolean. */
export const SUPPORTS_BATCHES: Uint8Array = concatBytes(SUPPORTS_EXECUTION_MODE, SINGLE_BATCH)

/** Input of the call that an account makes of itself. */
export function batchInput(calls: readonly ExecutedCall[]): Uint8Array {
  const executionData = encodeCalls(calls)
  return concatBytes(EXECUTE, SINGLE_BATCH, word(2 * WORD_BYTES), word(executionData.length), executionData)
}

/** ABI encoding of (address to, uint256 value, bytes data)[]. */
function encodeCalls(calls: readonly ExecutedCall[]): Uint8Array {
  const tuples = calls.map(encodeCall)
  let offset = tuples.length * WORD_BYTES
  const offsets = tuples.map((tuple) => {
    const at = word(offset)
    offset += tuple.length
    return at
  })
  return concatBytes(word(WORD_BYTES), word(tuples.length), ...offsets, ...tuples)
}

function encodeCall({ to, value, data }: ExecutedCall): Uint8Array {
  const padding = new Uint8Array((WORD_BYTES - (data.length % WORD_BYTES)) % WORD_BYTES)
  const address = concatBytes(new Uint8Array(WORD_BYTES - to.length), to)
  return concatBytes(
    address,
    bigIntToBytesPadded(value, WORD_BYTES),
    word(3 * WORD_BYTES),
    word(data.length),
    data,
    padding,
  )
}

function word(number: number): Uint8Array {
  return bigIntToBytesPadded(BigInt(number), WORD_BYTES)
}
