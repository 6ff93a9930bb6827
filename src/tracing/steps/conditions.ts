/**
 * Conditions that need nothing but the execution. Those of sources and variables are made by higher layers.
 * @module
 */
import { equalBytes } from '../../base/primitives/bytes.ts'
import type { FrameView } from '../../evm/hooks.ts'
import type { StepCondition } from './contract.ts'
import { isFailure } from './pass.ts'
import { stackWord } from './words.ts'

const SLOAD = 0x54
const SSTORE = 0x55
const TLOAD = 0x5c
const TSTORE = 0x5d
const LOG0 = 0xa0
const LOG4 = 0xa4
const SELECTOR_BYTES = 4

/** Opcodes by number. */
export function opcodeCondition(opcodes: readonly number[]): StepCondition {
  return { opcodes: flagsOf(opcodes) }
}

/** Positions in any code. @param pcs must be below 2^24 */
export function positionCondition(pcs: readonly number[]): StepCondition {
  const positions = new Uint8Array((Math.max(...pcs, 0) >> 3) + 1)
  for (const pc of pcs) positions[pc >> 3] = Number(positions[pc >> 3]) | (1 << (pc & 7))
  return { positions: () => positions }
}

/** The account whose code runs. @param address 20 bytes */
export function codeCondition(address: Uint8Array): StepCondition {
  return { suits: ({ start }) => equalBytes(start.target, address) }
}

/** Depths of the running call, 0 for the message itself; both bounds are included. */
export function depthCondition(min: number, max: number): StepCondition {
  return { suits: ({ start: { depth } }) => depth >= min && depth <= max }
}

/** A call or creation begins, even one that is refused or runs no code. */
export const callCondition: StepCondition = { begins: () => true }

/** A call begins whose input starts with the selector. @param selector 4 bytes */
export function selectorCondition(selector: Uint8Array): StepCondition {
  return {
    begins: ({ start: { kind, input } }) =>
      kind !== 'CREATE' && kind !== 'CREATE2' && equalBytes(input.subarray(0, SELECTOR_BYTES), selector),
  }
}

/** LOG0 to LOG4 */
export const logCondition: StepCondition = {
  opcodes: Uint8Array.from({ length: 256 }, (_, opcode) => (isLog(opcode) ? 1 : 0)),
}

/** A log with the topic, at any place. */
export function topicCondition(topic: bigint): StepCondition {
  return {
    opcodes: Uint8Array.from({ length: 256 }, (_, opcode) => (opcode > LOG0 && opcode <= LOG4 ? 1 : 0)),
    step: ({ frame }) => {
      const count = frame.opcode - LOG0
      for (let i = 0; i < count; i++) if (operand(frame, 2 + i) === topic) return true
      return false
    },
  }
}

/** SSTORE or TSTORE */
export const writeCondition: StepCondition = { opcodes: flagsOf([SSTORE, TSTORE]) }

/** An opcode that reads or writes the slot, in storage or in transient storage. */
export function slotCondition(slot: bigint): StepCondition {
  return {
    opcodes: flagsOf([SLOAD, SSTORE, TLOAD, TSTORE]),
    step: ({ frame }) => operand(frame, 0) === slot,
  }
}

/** A call or creation ends by a failure. */
export const revertCondition: StepCondition = { ends: (_, end) => isFailure(end) }

function flagsOf(opcodes: readonly number[]): Uint8Array {
  const flags = new Uint8Array(256)
  for (const opcode of opcodes) flags[opcode] = 1
  return flags
}

function isLog(opcode: number): boolean {
  return opcode >= LOG0 && opcode <= LOG4
}

/** A word from the top of the stack; undefined when the stack is too short, and the step therefore halts. */
function operand({ stack, stackSize }: FrameView, index: number): bigint | undefined {
  return index < stackSize ? stackWord(stack, stackSize - 1 - index) : undefined
}
