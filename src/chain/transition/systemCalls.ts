/**
 * Calls that the protocol makes in every block.
 * @see EIP-2935, EIP-4788, EIP-7002, EIP-7251
 * @module
 */

import { EMPTY_BYTES, equalBytes, hexToBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../base/primitives/keccak.ts'
import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import { runMessage } from '../../evm/driver.ts'
import type { MessageResult } from '../../evm/evm.ts'
import type { MutableState } from '../../state/contract.ts'
import { retryMisses, retryMissesMaybe } from '../../storage/retryMisses.ts'
import type { ExecutionContext } from './applyMessage.ts'
import { callDirectly, type DirectCall } from './systemContracts.ts'

const SYSTEM_ADDRESS = hexToBytes('fffffffffffffffffffffffffffffffffffffffe')
const SYSTEM_CALL_GAS = 30_000_000n

const SUCCESS: SystemCallResult = { outcome: 'success', output: EMPTY_BYTES }
const ENDING = { selfDestructs: [], clearEmpty: true } as const

/** The part of a message result that system calls need. */
export type SystemCallResult = Pick<MessageResult, 'outcome' | 'halt' | 'output'>

/**
 * Calls a contract as the system: without fees or nonce, and with a separate gas allowance.
 * @returns undefined when the contract does not exist; synchronously when its code need not be executed
 */
export function systemCall(
  address: Uint8Array,
  data: Uint8Array,
  state: MutableState,
  context: ExecutionContext,
): MaybePromise<SystemCallResult | undefined> {
  const call: DirectCall = { address, data, block: context.block }
  const begun = retryMissesMaybe(() => beginCall(call, state), context.control.residency)
  return mapMaybe(begun, (status) => {
    if (status === 'noCode') return undefined
    return status === 'done' ? SUCCESS : execute(call, state, context)
  })
}

/** @throws {StoreMiss} the same call can be made again */
function beginCall(call: DirectCall, state: MutableState): 'noCode' | 'done' | 'toExecute' {
  const codeHash = state.getAccount(call.address)?.codeHash
  if (codeHash === undefined || equalBytes(codeHash, EMPTY_CODE_HASH)) return 'noCode'
  state.beginTransaction()
  if (!callDirectly(call, state)) return 'toExecute'
  state.endTransaction(ENDING)
  return 'done'
}

async function execute(
  { address, data }: DirectCall,
  state: MutableState,
  { chainId, rules, contractSizeLimit, block, evm, control }: ExecutionContext,
): Promise<SystemCallResult> {
  const result = await runMessage(
    evm,
    { caller: SYSTEM_ADDRESS, to: address, value: 0n, data, gas: SYSTEM_CALL_GAS },
    {
      chainId,
      rules,
      contractSizeLimit,
      block,
      transaction: {
        origin: SYSTEM_ADDRESS,
        gasPrice: 0n,
        blobVersionedHashes: [],
        accessList: [],
        warmAddresses: [],
      },
    },
    state,
    control,
  )
  const { selfDestructs } = result
  await retryMisses(() => state.endTransaction({ selfDestructs, clearEmpty: true }), control.residency)
  return result
}
