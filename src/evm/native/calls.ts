/**
 * The host's part of CALL, CALLCODE, DELEGATECALL and STATICCALL.
 * @see EIP-158, EIP-161, EIP-7702
 * @module
 */
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { delegationTarget } from '../delegation.ts'
import { isEmptyAccount } from '../emptyAccount.ts'
import type { Precompile } from '../precompiles/index.ts'
import { transfer } from '../transfer.ts'
import { transferLog } from '../transferLogs.ts'
import { isDead, overflows, touchAndRevert } from './accounts.ts'
import {
  ANSWER_ADDRESS,
  ANSWER_BITMAP,
  ANSWER_CODE,
  ANSWER_CODE_LENGTH,
  ANSWER_FLAGS,
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  CALL_CALL,
  CALL_CALLCODE,
  CALL_STATICCALL,
  FRAME_ADDRESS,
  FRAME_CALLER,
  FRAME_VALUE,
  REQUEST_ADDRESS,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_GAS,
  REQUEST_HAS_VALUE,
  REQUEST_KIND,
  REQUEST_VALUE,
  TARGET_CODE,
  TARGET_DELEGATED,
  TARGET_IDENTITY,
  TARGET_NEW,
  TARGET_PRECOMPILE,
  TARGET_UNPAYABLE,
} from './assembly/layout.ts'
import type { MessageExecution } from './messageExecution.ts'

const CALL_SUCCEEDED = 1
const CALL_FAILED = 0

/** EXIT_CALL: reports the account and code at the target. Changes nothing. */
export function answerCall(execution: MessageExecution): void {
  const { instance, state, precompiles, codes, eips } = execution
  const target = instance.address(REQUEST_ADDRESS)
  let flags = accountFlags(execution, target)
  const precompile = precompiles(target)
  if (precompile !== undefined) {
    instance.setU32(
      ANSWER_FLAGS,
      flags | TARGET_PRECOMPILE | (isCopy(execution, target, precompile) ? TARGET_IDENTITY : 0),
    )
    return
  }
  let code = state.getCode(target)
  const delegate = eips.has(7702) ? delegationTarget(code) : undefined
  if (delegate !== undefined) {
    code = state.getCode(delegate)
    flags |= TARGET_DELEGATED
    instance.write(ANSWER_ADDRESS, delegate)
  }
  if (code.length > 0) {
    const { pointer, length, bitmap } = codes.place(code)
    flags |= TARGET_CODE
    instance.setU32(ANSWER_CODE, pointer)
    instance.setU32(ANSWER_CODE_LENGTH, length)
    instance.setU32(ANSWER_BITMAP, bitmap)
  }
  instance.setU32(ANSWER_FLAGS, flags)
}

/** Whether the call, and all later ones without value, only copy the input: a touch of the target changes nothing. */
function isCopy(execution: MessageExecution, target: Uint8Array, { name }: Precompile): boolean {
  const kind = execution.instance.u32(REQUEST_KIND)
  const touches = kind === CALL_CALL || kind === CALL_STATICCALL
  return name === 'ID' && touches && targetChange(execution, target) === undefined
}

function accountFlags({ instance, state, eips }: MessageExecution, target: Uint8Array): number {
  const kind = instance.u32(REQUEST_KIND)
  const hasValue = instance.u32(REQUEST_HAS_VALUE) !== 0
  const clearsEmpty = eips.has(161)
  let flags = 0
  if (kind === CALL_CALL && (hasValue || !clearsEmpty)) {
    const account = state.getAccount(target)
    if (clearsEmpty ? isDead(account) : account === undefined) flags |= TARGET_NEW
  }
  if (hasValue && (kind === CALL_CALL || kind === CALL_CALLCODE)) {
    const value = instance.word(REQUEST_VALUE)
    const caller = instance.address(instance.frame + FRAME_ADDRESS)
    const isPayable = (state.getAccount(caller)?.balance ?? 0n) >= value
    // A payment to itself does not change an account's balance.
    const grows = kind === CALL_CALL && !equalBytes(caller, target)
    if (!isPayable || (grows && overflows(state.getAccount(target), value))) flags |= TARGET_UNPAYABLE
  }
  return flags
}

/** EXIT_ENTER of a call: transfers its value. */
export function enterCall(execution: MessageExecution): void {
  const { instance, marks } = execution
  const { frame } = instance
  const caller = instance.address(frame + FRAME_CALLER)
  const to = instance.address(frame + FRAME_ADDRESS)
  const move = valueMove(execution, caller, to, instance.word(frame + FRAME_VALUE))
  marks.openAll()
  move()
}

/**
 * Reads everything that the transfer of value changes.
 * @returns makes the change; never throws `StoreMiss`
 */
export function valueMove(execution: MessageExecution, caller: Uint8Array, to: Uint8Array, value: bigint): () => void {
  const { state, eips, effects, logsTransfers } = execution
  state.getAccount(caller)
  state.getAccount(to)
  return () => {
    transfer({ caller, to, value }, state, eips.has(161))
    if (logsTransfers && value > 0n) effects.logs.push(transferLog(caller, to, value))
  }
}

/** EXIT_CALL_DIRECT: a call without code to run. A failed call has changed nothing. */
export function callDirect(execution: MessageExecution): void {
  const { instance, precompiles, precompileCalls } = execution
  const target = instance.address(REQUEST_ADDRESS)
  const change = targetChange(execution, target)
  const precompile = (instance.u32(ANSWER_FLAGS) & TARGET_PRECOMPILE) === 0 ? undefined : precompiles(target)
  if (precompile === undefined) {
    change?.()
    if (execution.watchedAddress !== undefined && equalBytes(target, execution.watchedAddress)) {
      execution.watch(instance.view(instance.u32(REQUEST_DATA), instance.u32(REQUEST_DATA_LENGTH)))
    }
    answerDirect(execution, CALL_SUCCEEDED, EMPTY_BYTES)
    return
  }
  const input = instance.view(instance.u32(REQUEST_DATA), instance.u32(REQUEST_DATA_LENGTH))
  const outcome = precompileCalls.run(precompile, input, instance.i64(REQUEST_GAS))
  if ('halt' in outcome) {
    if (change !== undefined && instance.u32(REQUEST_HAS_VALUE) === 0) touchAndRevert(execution.state, target)
    instance.setI64(REQUEST_GAS, 0n)
    answerDirect(execution, CALL_FAILED, EMPTY_BYTES)
    return
  }
  change?.()
  instance.setI64(REQUEST_GAS, outcome.gasLeft)
  answerDirect(execution, CALL_SUCCEEDED, outcome.output)
}

/**
 * Reads everything that the call changes. A touch without value matters only in two cases: an existing empty account is
 * deleted at the end of the transaction (EIP-161), and an absent account is created (before EIP-161).
 * @returns makes the change and never throws `StoreMiss`; undefined when there is no change
 */
function targetChange(execution: MessageExecution, target: Uint8Array): (() => void) | undefined {
  const { instance, state, eips, marks } = execution
  const kind = instance.u32(REQUEST_KIND)
  const caller = instance.address(instance.frame + FRAME_ADDRESS)
  if (instance.u32(REQUEST_HAS_VALUE) !== 0 && (kind === CALL_CALL || kind === CALL_CALLCODE)) {
    const move = valueMove(execution, caller, kind === CALL_CALL ? target : caller, instance.word(REQUEST_VALUE))
    return () => {
      marks.openAll()
      move()
    }
  }
  if (kind !== CALL_CALL && kind !== CALL_STATICCALL) return undefined
  const account = state.getAccount(target)
  const isSeen = eips.has(161) ? account !== undefined && isEmptyAccount(account) : account === undefined
  if (!isSeen) return undefined
  return () => {
    marks.openAll()
    transfer({ caller, to: target, value: 0n }, state, eips.has(161))
  }
}

function answerDirect({ instance }: MessageExecution, flags: number, output: Uint8Array): void {
  const { length } = output
  if (length > 0) {
    const pointer = instance.outputSpace(length)
    instance.write(pointer, output)
    instance.setU32(ANSWER_OUTPUT, pointer)
  }
  instance.setU32(ANSWER_OUTPUT_LENGTH, length)
  instance.setU32(ANSWER_FLAGS, flags)
}
