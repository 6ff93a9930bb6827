/**
 * Result of one simulated call: its receipt, and the part that is shown to the client.
 * @module
 */

import { bytesToHex, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Rejection, RejectionCode } from '../../chain/transition/rejection.ts'
import type { MessageResult } from '../../evm/evm.ts'
import { revertReason } from '../../evm/revertReason.ts'
import type { MutableState } from '../../state/contract.ts'
import { logsBloom } from '../../types/bloom.ts'
import type { Log, StoredReceipt } from '../../types/receipt.ts'
import type { Transaction } from '../../types/transaction.ts'
import type { CallOutcome } from '../calls/contract.ts'
import { haltText } from '../calls/failure.ts'
import type { SimulatedCall, SimulatedCallError } from './contract.ts'
import type { SimulatedPair } from './simulatedTransaction.ts'

export interface CallResult {
  readonly transaction: Transaction
  readonly sender: Uint8Array
  readonly receipt: StoredReceipt
  readonly call: SimulatedCall
}

/**
 * Codes for the execution-apis errors of calls that are not valid transactions; rpc/errorTable.ts has their numbers.
 */
const REJECTION_ERRORS: Readonly<Partial<Record<RejectionCode, string>>> = {
  NONCE_TOO_LOW: 'SIMULATION_NONCE_TOO_LOW',
  NONCE_TOO_HIGH: 'SIMULATION_NONCE_TOO_HIGH',
  MAX_FEE_TOO_LOW: 'SIMULATION_BASE_FEE_TOO_LOW',
  INTRINSIC_GAS_TOO_LOW: 'SIMULATION_INTRINSIC_GAS',
  FLOOR_GAS_TOO_LOW: 'SIMULATION_INTRINSIC_GAS',
  INSUFFICIENT_FUNDS: 'SIMULATION_INSUFFICIENT_FUNDS',
  SENDER_NOT_EOA: 'SIMULATION_SENDER_NOT_EOA',
  INIT_CODE_TOO_LARGE: 'SIMULATION_INIT_CODE_SIZE',
}

/** Address of the logs that represent transfers (evm/evm.ts, `transferLogs`). */
const TRANSFER_CONTRACT = `0x${'ee'.repeat(20)}`

/**
 * @param gasUsedBefore by the preceding calls of the block
 * @param stateForRoot before Byzantium, when receipts have a state root
 * @throws {NodeError} SIMULATION_… when the call is not a valid transaction
 */
export function callResult(
  outcome: CallOutcome,
  { transaction, simulated }: SimulatedPair,
  gasUsedBefore: bigint,
  stateForRoot: MutableState | undefined,
): CallResult {
  if (outcome.kind === 'invalid') throw refusal(outcome.rejection)
  const { result, gasUsed, gasUsedBeforeRefund } = outcome
  const logs = result.logs.filter((log) => !isTransfer(log))
  const receipt: { -readonly [Name in keyof StoredReceipt]: StoredReceipt[Name] } = {
    type: transaction.type,
    cumulativeGasUsed: gasUsedBefore + gasUsed,
    logsBloom: logsBloom(logs),
    logs,
    gasUsed,
  }
  if (stateForRoot === undefined) receipt.status = result.outcome === 'success'
  else receipt.postState = stateForRoot.rootHash()
  return {
    transaction,
    sender: simulated.from,
    receipt,
    call: {
      returnData: result.outcome === 'success' ? result.output : EMPTY_BYTES,
      logs: result.logs,
      gasUsed,
      maxUsedGas: gasUsedBeforeRefund > gasUsed ? gasUsedBeforeRefund : gasUsed,
      error: callError(result),
    },
  }
}

function isTransfer({ address }: Log): boolean {
  return address[0] === 0xee && bytesToHex(address) === TRANSFER_CONTRACT
}

function callError({ outcome, halt, output }: MessageResult): SimulatedCallError | undefined {
  if (outcome === 'success') return undefined
  if (outcome === 'halt') return { kind: 'halted', message: haltText(halt), data: undefined }
  const reason = revertReason(bytesToHex(output))
  const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return { kind: 'reverted', message, data: output }
}

function refusal({ code, message }: Rejection): NodeError {
  return new NodeError({ code: REJECTION_ERRORS[code] ?? 'SIMULATION_INVALID_TRANSACTION' }, `err: ${message}`)
}
