/** What is left to do when the module has run a message, and what came of it. */
import { EMPTY_BYTES, hexToBytes } from '../../primitives/bytes.ts'
import type { MessageResult } from '../engine.ts'
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
import type { MessageRequest, MessageRun } from './messageRun.ts'
import { MAX_MODULE_GAS } from './topFrame.ts'
import { accessedList } from './warmth.ts'

/** Where the module writes a slot's key and value for us; nothing reads the place any more. */
const KEY_AT = REQUEST_SLOT
const VALUE_AT = ANSWER_WORD

/** Gives the slots that the message wrote to the state. Can be done again after a miss. */
export function flushStorage({ instance, state }: MessageRun): void {
  if (instance.u32(STATE_STORAGE_WRITTEN) === 0 || isFailure(instance.u32(REQUEST_END))) return
  const addresses = instance.u32(STATE_ADDRESS_TABLE)
  const table = instance.u32(STATE_SLOT_TABLE)
  const count = instance.u32(STATE_SLOT_COUNT)
  for (let index = 0; index < count; index++) {
    const entry = table + index * SLOT_BYTES
    if ((instance.u32(entry + SLOT_FLAGS) & SLOT_IS_DIRTY) === 0) continue
    const owner = addresses + instance.u32(entry + SLOT_ADDRESS_ID) * ADDRESS_BYTES
    instance.slotKey(index, KEY_AT)
    instance.slotValue(index, VALUE_AT)
    state.setStorage(instance.address(owner + ADDRESS_KEY), instance.copy(KEY_AT, 32), instance.copy(VALUE_AT, 32))
  }
}

/** @param created the contract that the message creates, whether or not it succeeded */
export function resultOf(run: MessageRun, request: MessageRequest, created: Uint8Array | undefined): MessageResult {
  const { instance, effects } = run
  const { message, options, environment } = request
  const end = instance.u32(REQUEST_END)
  const { accessList } = environment.transaction
  const common = {
    gasRefund: 0n,
    output: EMPTY_BYTES,
    createdAddress: undefined,
    logs: [],
    selfDestructs: [],
    accessed: options.collectAccessed === true ? accessedList(run, accessList, created) : undefined,
    maxDepth: instance.u32(STATE_MAX_DEPTH),
    storageWritten: instance.u32(STATE_STORAGE_WRITTEN) !== 0,
  }
  if (end === END_HALT) {
    return { ...common, outcome: 'halt', halt: haltReason(instance.u32(REQUEST_HALT)), gasLeft: 0n }
  }
  const notCounted = message.gas > MAX_MODULE_GAS ? message.gas - MAX_MODULE_GAS : 0n
  const gasLeft = instance.i64(instance.frame + FRAME_GAS) + notCounted
  const output = instance.copy(instance.u32(ANSWER_OUTPUT), instance.u32(ANSWER_OUTPUT_LENGTH))
  if (end === END_REVERT) return { ...common, outcome: 'revert', gasLeft, output }
  return {
    ...common,
    outcome: 'success',
    gasLeft,
    gasRefund: instance.i64(STATE_REFUND),
    output,
    createdAddress: created,
    logs: effects.logs,
    selfDestructs: selfDestructsOf(run),
  }
}

function isFailure(end: number): boolean {
  return end === END_HALT || end === END_REVERT
}

/** EIP-6780: only accounts that the same transaction created. */
function selfDestructsOf({ effects: { selfDestructs, created }, eips }: MessageRun): Uint8Array[] {
  const onlyCreated = eips.has(6780)
  return [...selfDestructs].filter((address) => !onlyCreated || created.has(address)).map(hexToBytes)
}
