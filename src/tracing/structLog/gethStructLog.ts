/**
 * The opcode tracer in the format of go-ethereum's struct logger. It shows the state before each opcode; memory and
 * return data only on request, storage only for the opcodes that read and write it.
 * @module
 */

import { StoreMiss } from '../../base/ports/keyValueStore.ts'
import { writeDecimal, writeHex, writeWord } from '../../base/primitives/asciiDigits.ts'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES, hexToBytes } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import type { TraceBegin, TraceEnd, Tracer } from '../contract.ts'
import { authorizationRefund } from './authorizationRefund.ts'
import { gethConstantGas, gethHaltCost, gethHaltText, initCodeSizeOf } from './gethHalts.ts'
import { MemoryText } from './memoryText.ts'
import { GETH_OPCODE_NAMES, isCall, isCreate } from './opcodes.ts'
import type { StructLogOptions } from './options.ts'
import { piece, put } from './pieces.ts'
import { ShortStackText } from './stackText.ts'
import { SLOT_DIGITS, StorageText } from './storageText.ts'

/** Upper bound of the text of an entry's numbers and names. */
const HEAD_BYTES = 256
const STOP = 0x00
const SLOAD = 0x54
const SSTORE = 0x55
const REENTRANCY_GUARD_EIP = 2200

const FIRST = piece('{"pc":')
const NEXT = piece('},{"pc":')
const GAS_COST = piece(',"gasCost":')
const STACK = piece(',"stack":[')
const STACK_END = piece(']')
const MEMORY = piece(',"memory":[')
const STORAGE = piece(',"storage":{')
const STORAGE_END = piece('}')
const REFUND = piece(',"refund":')

/** `,"op":"NAME","gas":` by opcode */
const NAMES: readonly Uint8Array[] = GETH_OPCODE_NAMES.map((name) => piece(`,"op":"${name}","gas":`))

export class GethStructLog implements Tracer {
  readonly #out: JsonWriter
  readonly #limit: number
  readonly #stack: ShortStackText | undefined
  readonly #memory: MemoryText | undefined
  readonly #showsReturnData: boolean
  /** Slots read and written so far, by account; undefined when not requested. */
  readonly #storage: Map<string, StorageText> | undefined
  readonly #slot = new Uint8Array(SLOT_DIGITS)
  #context: TraceBegin | undefined
  #guardsReentrancy = false
  /** Refund counter before the first opcode (EIP-7702). */
  #refund = 0
  #constantGas: Uint16Array = new Uint16Array(0)
  /** Total size of the entries, bytes. */
  #size = 0
  #depthText = EMPTY_BYTES
  #depth = -1
  #isSkipped = false
  #opcode = 0
  #pc = 0
  #gas = 0
  #stackSize = 0
  /** `,"returnData":"0x…"`, or nothing. */
  #returnData = EMPTY_BYTES

  readonly hooks: ExecutionHooks = {
    enter: ({ depth }) => this.#enter(depth),
    exit: () => this.#memory?.forget(),
    step: (frame) => this.#step(frame),
    stepEnd: (frame, cost, forwarded, halt) => this.#stepEnd(frame, cost, forwarded, halt),
    isFull: () => this.#out.isFull,
    drained: () => this.#out.drained(),
  }

  constructor(out: JsonWriter, options: StructLogOptions) {
    this.#out = out
    this.#limit = options.limit ?? 0
    if (options.disableStack !== true) this.#stack = new ShortStackText()
    if (options.enableMemory === true) this.#memory = new MemoryText({ before: '"0x', after: '",', separator: 1 })
    if (options.disableStorage !== true) this.#storage = new Map()
    this.#showsReturnData = options.enableReturnData === true
  }

  begin(context: TraceBegin): void {
    const { rules } = context
    this.#context = context
    this.#guardsReentrancy = rules.eips.has(REENTRANCY_GUARD_EIP)
    this.#constantGas = gethConstantGas(rules)
    this.#out.ascii('{"structLogs":[')
  }

  end({ result: { outcome, output }, gasUsed }: TraceEnd): void {
    if (this.#size > 0) this.#out.ascii('}')
    this.#out.ascii('],"gas":')
    this.#out.integer(Number(gasUsed))
    this.#out.ascii(`,"failed":${outcome !== 'success'},"returnValue":"0x`)
    if (outcome !== 'halt') this.#out.hex(output)
    this.#out.ascii('"}')
  }

  #enter(depth: number): void {
    this.#memory?.forget()
    if (depth > 0 || this.#context === undefined) return
    const { transaction, before, now } = this.#context
    if (transaction.authorities !== undefined) this.#refund = authorizationRefund(transaction, before, now)
  }

  #step(frame: FrameView): void {
    const { depth } = frame
    const isOver = this.#limit !== 0 && this.#size > this.#limit
    // An empty init code produces no step.
    this.#isSkipped = isOver || (frame.opcode === STOP && frame.code.length === 0)
    if (this.#isSkipped) return
    if (this.#showsReturnData && (depth !== this.#depth || isCall(this.#opcode) || isCreate(this.#opcode)))
      this.#returnData = returnDataText(frame.returnData)
    if (depth !== this.#depth) {
      this.#depth = depth
      this.#depthText = piece(`,"depth":${depth + 1}`)
    }
    this.#opcode = frame.opcode
    this.#pc = frame.pc
    this.#gas = frame.gas
    this.#stackSize = frame.stackSize
    this.#stack?.follow(frame)
    if (this.#memory !== undefined) {
      this.#memory.follow(frame.memory)
      this.#memory.expect(frame)
    }
    if (this.#storage !== undefined && (frame.opcode === SLOAD || frame.opcode === SSTORE)) this.#noteSlot(frame)
  }

  #noteSlot({ stack, stackSize }: FrameView): void {
    if (stackSize < 1) return
    const value = writeWord(this.#slot, 0, stack, 32 * (stackSize - 1))
    if (stackSize > 1) writeWord(this.#slot, value, stack, 32 * (stackSize - 2))
  }

  #stepEnd(frame: FrameView, cost: number, forwarded: number, halt: HaltReason | undefined): void {
    if (this.#isSkipped) return
    const opcode = this.#opcode
    const out = this.#out
    const buffer = out.reserve(HEAD_BYTES)
    const start = out.position
    let at = put(buffer, start, this.#size === 0 ? FIRST : NEXT)
    at = writeDecimal(buffer, at, this.#pc)
    at = put(buffer, at, NAMES[opcode] as Uint8Array)
    at = writeDecimal(buffer, at, this.#gas)
    at = put(buffer, at, GAS_COST)
    at = writeDecimal(
      buffer,
      at,
      halt !== undefined ? this.#haltCost(halt, cost) : isCall(opcode) ? cost + forwarded : cost,
    )
    at = put(buffer, at, this.#depthText)
    if (halt !== undefined) at = put(buffer, at, this.#errorText(halt, frame))
    if (this.#stack !== undefined) at = put(buffer, at, STACK)
    out.commit(at)
    this.#size += at - start
    if (this.#stack !== undefined) {
      this.#write(this.#stack.text())
      this.#write(STACK_END)
    }
    this.#writeRest(frame, opcode, halt)
  }

  #writeRest(frame: FrameView, opcode: number, halt: HaltReason | undefined): void {
    if (this.#returnData.length > 0) this.#write(this.#returnData)
    const memory = this.#memory?.text()
    if (memory !== undefined && memory.length > 0) {
      this.#write(MEMORY)
      this.#write(memory)
      this.#write(STACK_END)
    }
    if (opcode === SLOAD || opcode === SSTORE) this.#writeStorage(frame, opcode, halt)
    const refund = this.#refund + frame.refund
    if (refund === 0) return
    this.#write(REFUND)
    this.#write(piece(String(refund)))
  }

  #writeStorage(frame: FrameView, opcode: number, halt: HaltReason | undefined): void {
    if (this.#storage === undefined || this.#stackSize < (opcode === SSTORE ? 2 : 1)) return
    const address = bytesToHexUnprefixed(frame.address)
    const text = this.#storage.get(address) ?? new StorageText('0x')
    this.#storage.set(address, text)
    if (opcode === SLOAD && !this.#readSlot(frame, text, halt)) return
    text.set(this.#slot)
    this.#write(STORAGE)
    this.#write(text.text())
    this.#write(STORAGE_END)
  }

  /**
   * Puts the value of the slot after its key. A SLOAD that ran out of gas has not pushed the value, so it is looked up.
   * @returns false when the value is not in memory: a trace does not load what the transaction did not read
   */
  #readSlot({ address, stack, stackSize }: FrameView, known: StorageText, halt: HaltReason | undefined): boolean {
    if (halt === undefined) {
      writeWord(this.#slot, SLOT_DIGITS / 2, stack, 32 * (stackSize - 1))
      return true
    }
    if (known.read(this.#slot)) return true
    try {
      const value = this.#context?.before.getStorage(address, slotOf(this.#slot)) ?? new Uint8Array(32)
      writeHex(this.#slot, SLOT_DIGITS / 2, value, 0, 32)
      return true
    } catch (error) {
      if (error instanceof StoreMiss) return false
      throw error
    }
  }

  #errorText(halt: HaltReason, { stack }: FrameView): Uint8Array {
    const stackSize = this.#stackSize
    const initCodeSize = initCodeSizeOf(stack, stackSize)
    const step = { opcode: this.#opcode, gas: this.#gas, stackSize, initCodeSize }
    const text = gethHaltText(halt, step, this.#guardsReentrancy)
    return text === undefined ? EMPTY_BYTES : piece(`,"error":"${text}"`)
  }

  #haltCost(halt: HaltReason, cost: number): number {
    const step = { opcode: this.#opcode, gas: this.#gas }
    return gethHaltCost(halt, step, cost, this.#constantGas, this.#guardsReentrancy)
  }

  #write(bytes: Uint8Array): void {
    this.#size += bytes.length
    this.#out.raw(bytes)
  }
}

function returnDataText(returnData: Uint8Array): Uint8Array {
  return returnData.length === 0 ? EMPTY_BYTES : piece(`,"returnData":"${bytesToHex(returnData)}"`)
}

function slotOf(digits: Uint8Array): Uint8Array {
  return hexToBytes(new TextDecoder().decode(digits.subarray(0, SLOT_DIGITS / 2)))
}
