/**
 * The message itself: its target, and the frame that runs it.
 * @module
 */
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { createAddress } from '../../types/address.ts'
import { delegationTarget } from '../delegation.ts'
import type { ExecutionEnvironment, Message } from '../evm.ts'
import type { HaltReason } from '../haltReason.ts'
import type { Precompile } from '../precompiles/index.ts'
import type { StateDB } from '../stateDb.ts'
import { overflows } from './accounts.ts'
import {
  ARGS_ADDRESS,
  ARGS_BITMAP,
  ARGS_CALLER,
  ARGS_CODE,
  ARGS_CODE_LENGTH,
  ARGS_FLAGS,
  ARGS_GAS,
  ARGS_INPUT,
  ARGS_INPUT_LENGTH,
  ARGS_VALUE,
  FRAME_IS_CREATE,
  FRAME_MARKED,
} from './assembly/layout.ts'
import { valueMove } from './calls.ts'
import { initCodeLimit } from './codeLimits.ts'
import { isAddressTaken, newContract } from './creations.ts'
import { useEnvironment } from './environment.ts'
import type { MessageExecution } from './messageExecution.ts'
import type { PrecompileSet } from './precompileSet.ts'
import { useRules } from './rules.ts'
import { warmUp } from './warmth.ts'

/** How a message is executed. */
export type Target =
  | { readonly kind: 'halt'; readonly halt: HaltReason }
  /** Nothing to run. */
  | { readonly kind: 'transfer'; readonly to: Uint8Array }
  | { readonly kind: 'precompile'; readonly to: Uint8Array; readonly precompile: Precompile }
  | { readonly kind: 'call'; readonly to: Uint8Array; readonly code: Uint8Array }
  /** Init code may be empty. */
  | { readonly kind: 'create'; readonly address: Uint8Array }

/** Determines how a message is executed. Only reads; may throw `StoreMiss`. */
export function targetOf(
  message: Message,
  environment: ExecutionEnvironment,
  state: StateDB,
  precompiles: PrecompileSet,
): Target {
  const { caller, to, value } = message
  const account = state.getAccount(caller)
  if ((account?.balance ?? 0n) < value) return { kind: 'halt', halt: 'INSUFFICIENT_BALANCE' }
  if (to === undefined) return creationOf(message, account?.nonce ?? 0n, environment, state)
  const precompile = precompiles(to)
  if (precompile !== undefined) return { kind: 'precompile', to, precompile }
  const accountCode = state.getCode(to)
  const delegate = environment.rules.eips.has(7702) ? delegationTarget(accountCode) : undefined
  const code = delegate === undefined ? accountCode : state.getCode(delegate)
  if (code.length === 0) return { kind: 'transfer', to }
  if (!equalBytes(caller, to) && overflows(state.getAccount(to), value))
    return { kind: 'halt', halt: 'INSUFFICIENT_BALANCE' }
  return { kind: 'call', to, code }
}

function creationOf(
  { caller, data, value, contract }: Message,
  nonce: bigint,
  { rules, contractSizeLimit }: ExecutionEnvironment,
  state: StateDB,
): Target {
  const limit = initCodeLimit(rules, contractSizeLimit)
  if (limit !== undefined && data.length > limit) return { kind: 'halt', halt: 'CODE_TOO_LARGE' }
  // The caller's nonce has already been incremented.
  const address = contract ?? createAddress(caller, BigInt.asUintN(64, nonce - 1n))
  if (isAddressTaken({ state, eips: rules.eips }, address)) return { kind: 'halt', halt: 'ADDRESS_COLLISION' }
  if (overflows(state.getAccount(address), value)) return { kind: 'halt', halt: 'INSUFFICIENT_BALANCE' }
  return { kind: 'create', address }
}

/** A target with code to run in the module. */
export type RunnableTarget = Extract<Target, { readonly kind: 'call' | 'create' }>

/** A target that does not need the module. */
export type DirectTarget = Exclude<Target, RunnableTarget>

/** Opens the checkpoint of the whole message and moves its value. May throw `StoreMiss` before it changes anything. */
export function openMessage(execution: MessageExecution, { caller, value }: Message, target: RunnableTarget): void {
  const { marks } = execution
  const change =
    target.kind === 'create'
      ? newContract(execution, caller, target.address, value)
      : valueMove(execution, caller, target.to, value)
  marks.open()
  change()
}

/** Maximum amount of gas that the module can count. */
export const MAX_MODULE_GAS: bigint = 2n ** 63n - 1n

/** Enters the first frame in the instance. */
export function enterTop(execution: MessageExecution, message: Message, target: RunnableTarget): void {
  const { instance, environment, codes } = execution
  const isCreate = target.kind === 'create'
  const address = isCreate ? target.address : target.to
  useRules(instance, environment.rules, environment.contractSizeLimit)
  useEnvironment(instance, environment)
  warmUp(instance, message, environment, isCreate ? address : undefined)
  const code = codes.place(isCreate ? message.data : target.code)
  const input = isCreate ? EMPTY_BYTES : message.data
  const inputAt = input.length === 0 ? 0 : instance.allocate(input.length)
  instance.write(inputAt, input)
  instance.setU32(ARGS_CODE, code.pointer)
  instance.setU32(ARGS_CODE_LENGTH, code.length)
  instance.setU32(ARGS_BITMAP, code.bitmap)
  instance.setU32(ARGS_INPUT, inputAt)
  instance.setU32(ARGS_INPUT_LENGTH, input.length)
  instance.setU32(ARGS_FLAGS, isCreate ? FRAME_IS_CREATE : 0)
  instance.setI64(ARGS_GAS, message.gas < MAX_MODULE_GAS ? message.gas : MAX_MODULE_GAS)
  instance.write(ARGS_ADDRESS, address)
  instance.write(ARGS_CALLER, message.caller)
  instance.setWord(ARGS_VALUE, message.value)
  instance.enterTop()
  instance.setU32(instance.frame + FRAME_MARKED, 1)
}
