/**
 * Errors of transactions that failed in their block, in the words of Hardhat.
 * @module
 */
import { haltText } from '../../../api/calls/failure.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { DevChain, DevFailure } from '../../../dev/contract.ts'
import { revertReason } from '../../../evm/revertReason.ts'

const EXCEPTION = 'Error: VM Exception while processing transaction:'
/** First bytes of keccak256('Panic(uint256)'), in hex. */
const PANIC_UINT256 = '0x4e487b71'

/** Error codes of {@link successOf}. */
export const OUTCOME_ERRORS: readonly string[] = ['TRANSACTION_FAILED', 'TRANSACTION_OUT_OF_GAS']

/**
 * @param isReported whether failures are reported; default: as `--fail-on-revert` says
 * @returns the hash
 * @throws {NodeError} when failures are reported and the transaction was mined and failed
 */
export function successOf(
  dev: DevChain | undefined,
  hash: Uint8Array,
  isReported: boolean = dev?.failures.isReported === true,
): Uint8Array {
  const failure = isReported ? dev?.failures.ofTransaction(hash) : undefined
  if (failure === undefined) return hash
  const details = { txHash: bytesToHex(hash), output: bytesToHex(failure.output) }
  if (failure.halt === 'INSUFFICIENT_GAS') {
    throw new NodeError({ code: 'TRANSACTION_OUT_OF_GAS', ...details }, 'Transaction ran out of gas')
  }
  throw new NodeError({ code: 'TRANSACTION_FAILED', ...details }, messageOf(failure, details.output))
}

function messageOf({ outcome, halt }: DevFailure, output: string): string {
  if (outcome === 'halt') return `${EXCEPTION} ${haltText(halt)}`
  if (output === '0x') return 'Error: Transaction reverted without a reason string'
  const reason = revertReason(output)
  if (reason === undefined) {
    return `${EXCEPTION} reverted with an unrecognized custom error (return data: ${output})`
  }
  if (!output.startsWith(PANIC_UINT256)) return `${EXCEPTION} reverted with reason string '${reason}'`
  const code = BigInt(`0x${output.slice(PANIC_UINT256.length)}`).toString(16)
  return `${EXCEPTION} reverted with panic code 0x${code} (${reason})`
}
