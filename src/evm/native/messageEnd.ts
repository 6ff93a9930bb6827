/** Completes a message that the module has run, and collects its result. */
import { EMPTY_BYTES, hexToBytes } from '../../base/primitives/bytes.ts'
import type { MessageResult } from '../evm.ts'
import {
  ADDRESS_BYTES,
  ADDRESS_KEY,
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  ANSWER_WORD,
  END_HALT,
  END_REVERT,
  FRAME_GAS,
  REQUEST_END,
  REQUEST_HALT,
  REQUEST_SLOT,
  SLOT_ADDRESS_ID,
  SLOT_BYTES,
  SLOT_FLAGS,
  SLOT_IS_DIRTY,
  STATE_ADDRESS_TABLE,
  STATE_MAX_DEPTH,
  STATE_REFUND,
  STATE_SLOT_COUNT,
  STATE_SLOT_TABLE,
  STATE_STORAGE_WRITTEN,
} from './assembly/layout.ts'
import { haltReason } from './halts.ts'
import type { MessageExecution, MessageRequest } from './messageExecution.ts'
import type { SliceBudget } from './sliceBudget.ts'
import { MAX_MODULE_GAS } from './topFrame.ts'
import { accessedList } from './warmth.ts'

/** Scratch fields for a slot's key and value; no other reader is left at the end of a message. */
const KEY_AT = REQUEST_SLOT
const VALUE_AT = ANSWER_WORD

/** Slots between two looks at the clock. */
const SLOTS_PER_LOOK = 256

/**
 * Passes the slots that the message wrote to the state. Can be repeated after a `StoreMiss`.
 * @param from the first slot that has not been passed yet
 * @param budget undefined: without a pause
 * @returns the slot at which to continue after a pause; undefined once all have been passed
 */
export function flushStorage(
  { instance, state }: MessageExecution,
  from: number,
  budget: SliceBudget | undefined,
): number | undefined {
  if (instance.u32(STATE_STORAGE_WRITTEN) === 0 || isFailure(instance.u32(REQUEST_END))) return undefined
  const addresses = instance.u32(STATE_ADDRESS_TABLE)
  const table = instance.u32(STATE_SLOT_TABLE)
  const count = instance.u32(STATE_SLOT_COUNT)
  for (let index = from; index < count; index++) {
    if (index % SLOTS_PER_LOOK === 0 && index > from && budget?.isOver() === true) return index
    const entry = table + index * SLOT_BYTES
    if ((instance.u32(entry + SLOT_FLAGS) & SLOT_IS_DIRTY) === 0) continue
    const owner = addresses + instance.u32(entry + SLOT_ADDRESS_ID) * ADDRESS_BYTES
    instance.slotKey(index, KEY_AT)
    instance.slotValue(index, VALUE_AT)
    state.setStorage(instance.address(owner + ADDRESS_KEY), instance.copy(KEY_AT, 32), instance.copy(VALUE_AT, 32))
  }
  return undefined
}

/** @param created address of the contract that the message creates, even when it failed */
export function resultOf(
  execution: MessageExecution,
  request: MessageRequest,
  created: Uint8Array | undefined,
): MessageResult {
  const { instance, effects } = execution
  const { options, environment } = request
  const end = instance.u32(REQUEST_END)
  const isHalt = end === END_HALT
  const isSuccess = !isFailure(end)
  // A single literal: copying objects would cost more than all the rest.
  const result: MessageResult = {
    outcome: isSuccess ? 'success' : isHalt ? 'halt' : 'revert',
    gasLeft: isHalt ? 0n : gasLeftOf(execution, request),
    gasRefund: isSuccess ? instance.i64(STATE_REFUND) : 0n,
    output: isHalt ? EMPTY_BYTES : instance.copy(instance.u32(ANSWER_OUTPUT), instance.u32(ANSWER_OUTPUT_LENGTH)),
    createdAddress: isSuccess ? created : undefined,
    logs: isSuccess ? effects.logs : [],
    selfDestructs: isSuccess ? selfDestructsOf(execution) : [],
    accessed:
      options.collectAccessed === true
        ? accessedList(execution, environment.transaction.accessList, created)
        : undefined,
    maxDepth: instance.u32(STATE_MAX_DEPTH),
    storageWritten: instance.u32(STATE_STORAGE_WRITTEN) !== 0,
    watchedCalls: execution.watchedCalls,
  }
  return isHalt ? { ...result, halt: haltReason(instance.u32(REQUEST_HALT)) } : result
}

function gasLeftOf({ instance }: MessageExecution, { message: { gas } }: MessageRequest): bigint {
  const gasLeft = instance.i64(instance.frame + FRAME_GAS)
  return gas > MAX_MODULE_GAS ? gasLeft + gas - MAX_MODULE_GAS : gasLeft
}

function isFailure(end: number): boolean {
  return end === END_HALT || end === END_REVERT
}

/** EIP-6780: only accounts created by the same transaction. */
function selfDestructsOf({ effects: { selfDestructs, created }, eips }: MessageExecution): Uint8Array[] {
  if (selfDestructs.size === 0) return []
  const onlyCreated = eips.has(6780)
  return [...selfDestructs].filter((address) => !onlyCreated || created.has(address)).map(hexToBytes)
}
