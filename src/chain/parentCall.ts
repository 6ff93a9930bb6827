/**
 * The call of a contract by which a consensus engine learns what it needs for the next block, such as the validators.
 * @module
 */

import { type MaybePromise, mapMaybe } from '../base/primitives/maybePromise.ts'
import { runMessage } from '../evm/driver.ts'
import type { MutableState } from '../state/contract.ts'
import type { ChainHeader } from './contract.ts'
import type { ParentCall, ParentCallResult } from './engine.ts'
import type { ExecutionDeps } from './transition/executionInput.ts'
import { headerEnvironment } from './transition/headerEnvironment.ts'

const ZERO_ADDRESS = new Uint8Array(20)
/** Intrinsic cost of a transaction and of one non-zero byte of its data; the call gets the rest of the block's gas. */
const TRANSACTION_GAS = 21_000n
const DATA_BYTE_GAS = 16n

export interface ParentCallContext {
  readonly parent: Pick<ChainHeader, 'header'>
  /** After the parent; discarded after the call. */
  readonly state: MutableState
  /** Hashes of the parent and the blocks below. */
  blockHash(number: bigint): Uint8Array | undefined
}

/** Calls a contract on the state after a block, in the environment of that block. Nothing is stored. */
export function callOnParent(
  { to, data }: ParentCall,
  { parent: { header }, state, blockHash }: ParentCallContext,
  { config, evm, consensus, control }: ExecutionDeps,
): MaybePromise<ParentCallResult> {
  const intrinsicGas = TRANSACTION_GAS + DATA_BYTE_GAS * BigInt(data.length)
  const gas = header.gasLimit > intrinsicGas ? header.gasLimit - intrinsicGas : 0n
  state.beginTransaction()
  const result = runMessage(
    evm,
    { caller: ZERO_ADDRESS, to, value: 0n, data, gas },
    {
      chainId: config.chainId,
      rules: config.rulesAt(header),
      contractSizeLimit: config.options.contractSizeLimit,
      block: {
        ...headerEnvironment(header, consensus.claimedBy(header).author(header)),
        // BLOCKHASH covers the blocks below the environment's own.
        blockHash: (number) => (number >= header.number ? undefined : blockHash(number)),
      },
      transaction: { origin: ZERO_ADDRESS, gasPrice: 0n, blobVersionedHashes: [], accessList: [], warmAddresses: [] },
    },
    state,
    control,
  )
  return mapMaybe(result, ({ outcome, output, halt }): ParentCallResult => {
    return outcome === 'success' ? { kind: 'returned', output } : { kind: 'failed', reason: halt ?? 'reverted' }
  })
}
