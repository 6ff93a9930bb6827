/**
 * Follows an execution up to a moment: the calls that are open, the functions of their sources, what has been written to
 * storage, and which keys of mappings have been used. Only jumps, hashes, writes and calls are recorded, so the rest of
 * the execution runs at full speed.
 * @module
 */
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { Preimages } from '../layout/preimages.ts'
import { WORD } from '../layout/solidityType.ts'
import type { DebugCode, DebugKnowledge } from './debugContract.ts'
import { hashedInput } from './hashedInput.ts'
import { followJump, type InnerCall } from './innerCalls.ts'
import { StorageOverlay } from './storageOverlay.ts'
import { wordAt } from './wordsOfFrame.ts'

/** A call or creation that has not ended. */
export interface OpenCall {
  /** Number of the call in the transaction, from 0. */
  readonly id: number
  readonly start: CallStart
  /** undefined until a step needs it, and for unknown code */
  code: DebugCode | undefined
  isResolved: boolean
  /** Functions of the source, outermost first. */
  readonly inner: InnerCall[]
  /** At the opcode that made the call above: its position, and the words of the stack. */
  pc: number
  words: Uint8Array
  /** Of a call that waits for another one; undefined when it was too large to keep. */
  memory: Uint8Array | undefined
}

export type DebugHooks = Required<Pick<ExecutionHooks, 'opcodes' | 'enter' | 'exit' | 'step'>>

const KECCAK256 = 0x20
const SSTORE = 0x55
const JUMP = 0x56
const TSTORE = 0x5d
const CALLS: readonly number[] = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa]
/** Memory of a suspended call that is kept; larger memories are not known to its arguments. */
const MAX_KEPT_MEMORY = 16_384
/** Memory that is kept of all suspended calls. */
const MAX_ALL_MEMORY = 8_388_608
const NOTHING = new Uint8Array(0)

export class DebugRecorder {
  readonly hooks: DebugHooks
  readonly open: OpenCall[] = []
  readonly preimages: Preimages = new Preimages()
  readonly storage: StorageOverlay = new StorageOverlay()
  readonly #knowledge: DebugKnowledge
  readonly #codes = new Map<string, { readonly length: number; readonly code: DebugCode | undefined }>()
  #calls = 0
  #keptBytes = 0

  constructor(knowledge: DebugKnowledge) {
    this.#knowledge = knowledge
    const opcodes = new Uint8Array(256)
    for (const opcode of [KECCAK256, SSTORE, JUMP, TSTORE, ...CALLS]) opcodes[opcode] = 1
    this.hooks = {
      opcodes,
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end),
      step: (frame) => this.step(frame),
    }
  }

  /** Code of the innermost call. */
  codeAt(frame: FrameView): DebugCode | undefined {
    const call = this.open.at(-1)
    return call && this.#codeOf(call, frame)
  }

  /** For recorders that see all steps. */
  step(frame: FrameView): void {
    const call = this.open.at(-1)
    if (call === undefined) return
    switch (frame.opcode) {
      case JUMP:
        followJump(call.inner, this.#codeOf(call, frame)?.map?.jumpAt(frame.pc), frame)
        return
      case KECCAK256:
        this.#hash(frame)
        return
      case SSTORE:
      case TSTORE:
        this.#write(frame)
        return
      default:
        if (CALLS.includes(frame.opcode)) this.#suspend(call, frame)
    }
  }

  #enter(start: CallStart): void {
    const { address, caller, target, input } = start
    const kept = {
      ...start,
      address: address.slice(),
      caller: caller.slice(),
      target: target.slice(),
      input: input.slice(),
    }
    this.storage.begin()
    this.open.push({
      id: this.#calls++,
      start: kept,
      code: undefined,
      isResolved: false,
      inner: [],
      pc: 0,
      words: NOTHING,
      memory: NOTHING,
    })
  }

  #exit(end: CallEnd): void {
    this.open.pop()
    this.storage.end(end.outcome === 'success')
    const caller = this.open.at(-1)
    if (caller === undefined) return
    this.#keptBytes -= caller.memory?.length ?? 0
    caller.words = NOTHING
    caller.memory = NOTHING
  }

  /** The state of a call for as long as the call that it makes is open. */
  #suspend(call: OpenCall, frame: FrameView): void {
    this.#codeOf(call, frame)
    this.#keptBytes -= call.memory?.length ?? 0
    call.pc = frame.pc
    call.words = frame.stack.slice(0, frame.stackSize * WORD)
    const { memory } = frame
    const fits = memory.length <= MAX_KEPT_MEMORY && this.#keptBytes + memory.length <= MAX_ALL_MEMORY
    call.memory = fits ? memory.slice() : undefined
    this.#keptBytes += call.memory?.length ?? 0
  }

  #hash(frame: FrameView): void {
    const input = hashedInput(frame)
    if (input !== undefined) this.preimages.add(input)
  }

  #write(frame: FrameView): void {
    if (frame.stackSize < 2) return
    const slot = wordAt(frame, frame.stackSize - 1)
    const value = wordAt(frame, frame.stackSize - 2)
    const isTransient = frame.opcode === TSTORE
    this.storage.write(bytesToHex(frame.address), bytesToHex(slot), value, isTransient)
  }

  #codeOf(call: OpenCall, { code, target }: FrameView): DebugCode | undefined {
    if (call.isResolved) return call.code
    const { kind } = call.start
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    const key = bytesToHex(target)
    const known = isCreation ? undefined : this.#codes.get(key)
    call.code = known?.length === code.length ? known.code : this.#knowledge.codeOf(code, isCreation)
    call.isResolved = true
    if (!isCreation) this.#codes.set(key, { length: code.length, code: call.code })
    return call.code
  }
}
