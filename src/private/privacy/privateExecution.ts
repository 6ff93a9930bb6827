/**
 * Execution of private transactions. Gas is not limited and not paid for.
 * @module
 */

import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { ExecutionContext } from '../../chain/transition/applyMessage.ts'
import { runMessage } from '../../evm/driver.ts'
import type { MessageResult } from '../../evm/evm.ts'
import type { WorldState } from '../../state/worldState.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import { privateContractAddress } from './groups.ts'
import type { PrivateReceipt } from './privateRecords.ts'
import { type PrivateTransaction, privateChainId, privateSender } from './privateTransaction.ts'
import { PrivateWorld, type PublicState } from './privateWorld.ts'

/** Gas of every private message, also of calls: the largest signed 64-bit number. */
const PRIVATE_GAS: bigint = 2n ** 63n - 1n

export interface PrivateCall {
  /** 20 bytes */
  readonly sender: Uint8Array
  /** 20 bytes; undefined creates a contract */
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly value: bigint
  readonly gasPrice: bigint
  /** 20 bytes, of a creation */
  readonly contract?: Uint8Array | undefined
}

export interface PrivateStates {
  /** State of the group. */
  readonly own: WorldState
  readonly public: PublicState
}

/** Runs a message on the state of a group. A failed message changes nothing. */
export function runPrivateCall(
  { sender, to, data, value, gasPrice, contract }: PrivateCall,
  states: PrivateStates,
  { evm, control, chainId, rules, contractSizeLimit, block }: ExecutionContext,
): MessageResult | Promise<MessageResult> {
  const environment = {
    chainId,
    rules,
    contractSizeLimit,
    block,
    transaction: { origin: sender, gasPrice, blobVersionedHashes: [], accessList: [], warmAddresses: [] },
  }
  const message = { caller: sender, to, value, data, gas: PRIVATE_GAS, contract }
  return runMessage(evm, message, environment, new PrivateWorld(states.own, states.public), control)
}

/** Outcome of a transaction that was not run. */
const INVALID: PrivateReceipt = { status: 2, logs: [], output: EMPTY_BYTES, revertReason: undefined }

/**
 * Runs a private transaction in its group. The state changes only if the receipt's status is 1; after another status
 * it must be discarded.
 * @param groupId 32 bytes
 */
export async function executePrivateTransaction(
  transaction: PrivateTransaction,
  groupId: Uint8Array,
  states: PrivateStates,
  context: ExecutionContext,
  keepRevertReason: boolean,
): Promise<PrivateReceipt> {
  const { nonce, to, data, value, gasPrice } = transaction
  const sender = validSender(transaction, context.chainId)
  if (sender === undefined || value !== 0n) return INVALID
  const account = await retryMissesMaybe(() => states.own.getAccount(sender), context.control.residency)
  if (nonce !== (account?.nonce ?? 0n)) return INVALID
  states.own.beginTransaction()
  states.own.setNonce(sender, nonce + 1n)
  const contract = to === undefined ? privateContractAddress(sender, nonce, groupId) : undefined
  const result = await runPrivateCall({ sender, to, data, value, gasPrice, contract }, states, context)
  const { outcome, logs, output } = result
  if (outcome === 'success') return { status: 1, logs, output, revertReason: undefined }
  const revertReason = keepRevertReason && outcome === 'revert' ? output : undefined
  return { status: 0, logs: [], output: EMPTY_BYTES, revertReason }
}

/** @returns undefined when the signature or its chain id is invalid */
function validSender(transaction: PrivateTransaction, chainId: bigint): Uint8Array | undefined {
  try {
    const signed = privateChainId(transaction)
    return signed === undefined || signed === chainId ? privateSender(transaction) : undefined
  } catch (error) {
    if (isNodeError(error, 'INVALID_PRIVATE_SIGNATURE')) return undefined
    throw error
  }
}
