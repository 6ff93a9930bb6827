/** Events of calls and creations for the hooks, read from frame headers and requests. */
import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import type { HaltReason } from '../../haltReason.ts'
import type { CallEnd, CallKind, CallStart, RefusalReason } from '../../hooks.ts'
import {
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  CALL_CALL,
  CALL_CALLCODE,
  CALL_DELEGATECALL,
  END_HALT,
  END_REVERT,
  FRAME_ADDRESS,
  FRAME_CALLER,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_DEPTH,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_INPUT,
  FRAME_INPUT_LENGTH,
  FRAME_IS_CREATE,
  FRAME_KIND,
  FRAME_PC,
  FRAME_SP,
  FRAME_STACK,
  FRAME_TARGET,
  FRAME_VALUE,
  REQUEST_ADDRESS,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_END,
  REQUEST_GAS,
  REQUEST_HALT,
  REQUEST_HAS_VALUE,
  REQUEST_KIND,
  REQUEST_VALUE,
  RULE_CALL_STIPEND,
} from '../assembly/layout.ts'
import { haltReason } from '../halts.ts'
import type { NativeInstance } from '../instance.ts'

/** Indexed by CALL_* and CREATE_*. */
const KINDS: readonly CallKind[] = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CREATE', 'CREATE2']

function kindOf(kind: number): CallKind {
  return KINDS[kind] as CallKind
}

/** The start of the running frame, before its first opcode. */
export function frameStart(instance: NativeInstance): CallStart {
  const { frame } = instance
  const isCreate = (instance.u32(frame + FRAME_FLAGS) & FRAME_IS_CREATE) !== 0
  const [data, length] = isCreate ? [FRAME_CODE, FRAME_CODE_LENGTH] : [FRAME_INPUT, FRAME_INPUT_LENGTH]
  return {
    kind: kindOf(instance.u32(frame + FRAME_KIND)),
    depth: instance.u32(frame + FRAME_DEPTH),
    caller: instance.address(frame + FRAME_CALLER),
    address: instance.address(frame + FRAME_ADDRESS),
    target: instance.address(frame + FRAME_TARGET),
    value: instance.word(frame + FRAME_VALUE),
    gas: Number(instance.i64(frame + FRAME_GAS)),
    input: instance.copy(instance.u32(frame + data), instance.u32(frame + length)),
    runs: 'code',
  }
}

/** A request of the running frame that gets no frame: EXIT_CALL_DIRECT, or EXIT_REFUSED of a call. */
export function requestedCall(instance: NativeInstance, runs: CallStart['runs']): CallStart {
  const { frame } = instance
  const kind = instance.u32(REQUEST_KIND)
  const isDelegated = kind === CALL_DELEGATECALL
  const inPlace = isDelegated || kind === CALL_CALLCODE
  const value = hasRequestedValue(instance) ? instance.word(REQUEST_VALUE) : 0n
  return {
    kind: kindOf(kind),
    depth: instance.u32(frame + FRAME_DEPTH) + 1,
    caller: instance.address(frame + (isDelegated ? FRAME_CALLER : FRAME_ADDRESS)),
    address: instance.address(inPlace ? frame + FRAME_ADDRESS : REQUEST_ADDRESS),
    target: instance.address(REQUEST_ADDRESS),
    value: isDelegated ? instance.word(frame + FRAME_VALUE) : value,
    gas: Number(instance.i64(REQUEST_GAS)),
    input: requestedData(instance),
    runs,
  }
}

/** A requested creation that does not begin. */
export function requestedCreation(instance: NativeInstance, address: Uint8Array): CallStart {
  const { frame } = instance
  return {
    kind: kindOf(instance.u32(REQUEST_KIND)),
    depth: instance.u32(frame + FRAME_DEPTH) + 1,
    caller: instance.address(frame + FRAME_ADDRESS),
    address,
    target: address,
    value: instance.word(REQUEST_VALUE),
    gas: Number(instance.i64(REQUEST_GAS)),
    input: requestedData(instance),
    runs: 'nothing',
  }
}

function requestedData(instance: NativeInstance): Uint8Array {
  return instance.copy(instance.u32(REQUEST_DATA), instance.u32(REQUEST_DATA_LENGTH))
}

export function hasRequestedValue(instance: NativeInstance): boolean {
  return instance.u32(REQUEST_HAS_VALUE) !== 0
}

/** Gas that a call receives in addition to the gas set aside by its caller. */
export function stipendOf(instance: NativeInstance): number {
  const kind = instance.u32(REQUEST_KIND)
  const hasStipend = (kind === CALL_CALL || kind === CALL_CALLCODE) && hasRequestedValue(instance)
  return hasStipend ? instance.u32(RULE_CALL_STIPEND) : 0
}

/** The end of the running frame, after the host has handled it. */
export function frameEnd(instance: NativeInstance, given: bigint, atDeposit: boolean): CallEnd {
  const { frame } = instance
  const depth = instance.u32(frame + FRAME_DEPTH)
  const gasUsed = Number(given - instance.i64(frame + FRAME_GAS))
  const end = instance.u32(REQUEST_END)
  if (end === END_HALT) {
    const halted = haltEnd(depth, haltReason(instance.u32(REQUEST_HALT)), gasUsed)
    return atDeposit ? { ...halted, atDeposit } : { ...halted, haltPlace: haltPlace(instance) }
  }
  const output = instance.copy(instance.u32(ANSWER_OUTPUT), instance.u32(ANSWER_OUTPUT_LENGTH))
  return { depth, outcome: end === END_REVERT ? 'revert' : 'success', atDeposit: false, gasUsed, output }
}

function haltPlace(instance: NativeInstance): NonNullable<CallEnd['haltPlace']> {
  const { frame } = instance
  const pc = instance.u32(frame + FRAME_PC)
  return {
    pc,
    opcode: instance.bytes[instance.u32(frame + FRAME_CODE) + pc] as number,
    stackSize: (instance.u32(frame + FRAME_SP) - frame - FRAME_STACK) >> 5,
  }
}

export function haltEnd(depth: number, halt: HaltReason, gasUsed: number): CallEnd {
  return { depth, outcome: 'halt', halt, atDeposit: false, gasUsed, output: EMPTY_BYTES }
}

export function refusedEnd(depth: number, refusal: RefusalReason): CallEnd {
  return { depth, outcome: 'refused', refusal, atDeposit: false, gasUsed: 0, output: EMPTY_BYTES }
}
