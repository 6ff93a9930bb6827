/**
 * The opcode tracer in the form of Besu 23.4.
 * @see docs/reference/debug-and-trace.md section 2
 * @module
 */

import { writeDecimal, writeWord } from '../../base/primitives/asciiDigits.ts'
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import type { TraceBegin, TraceEnd, Tracer } from '../contract.ts'
import { haltName } from '../halts.ts'
import { MemoryText } from './memoryText.ts'
import { besuOpcodeNames, isCall } from './opcodes.ts'
import type { StructLogOptions } from './options.ts'
import { ByFork, piece, put } from './pieces.ts'
import { FullStackText } from './stackText.ts'
import { StorageLayers } from './storageLayers.ts'
import { SLOT_DIGITS } from './storageText.ts'

/** Upper bound of the text of an entry's numbers and names. */
const HEAD_BYTES = 256
const STOP = 0x00
const SSTORE = 0x55
const REVERT = 0xfd
const GAS_REFORM_EIP = 150

const FIRST = piece('{"pc":')
const NEXT = piece('},{"pc":')
const GAS_COST = piece(',"gasCost":')
const NULL = piece('null')

/** `,"op":"NAME","gas":` by opcode */
const NAMES = new ByFork((rules) => besuOpcodeNames(rules).map((name) => piece(`,"op":"${name}","gas":`)))

/** The constant text between the varying parts of an entry. */
interface EntryLayout {
  readonly beforeStack: string
  readonly beforeMemory: Uint8Array
  readonly beforeStorage: Uint8Array
  readonly beforeReason: Uint8Array
  /** From the end of the stack to the end of the entry, when nothing there varies. */
  readonly plainEnd: Uint8Array
}

function layoutOf({ disableStack, disableMemory, disableStorage }: StructLogOptions): EntryLayout {
  const beforeStack = disableStack === true ? ',"stack":null' : ',"stack":['
  const memory = `${disableStack === true ? '' : ']'},"memory":${disableMemory === true ? 'null' : '['}`
  const storage = `${disableMemory === true ? '' : ']'},"storage":${disableStorage === true ? 'null' : '{'}`
  const reason = `${disableStorage === true ? '' : '}'},"reason":`
  return {
    beforeStack,
    beforeMemory: piece(memory),
    beforeStorage: piece(storage),
    beforeReason: piece(reason),
    plainEnd: piece(`${memory}${storage}${reason}null`),
  }
}

interface OpenCall {
  readonly start: CallStart
  readonly gas: number
}

/**
 * An entry is written at the end of its step but closed by the next event, because the revert reason or error of a
 * frame belongs to its last entry.
 */
export class BesuStructLog implements Tracer {
  readonly #out: JsonWriter
  readonly #layout: EntryLayout
  readonly #stack: FullStackText | undefined
  readonly #memory: MemoryText | undefined
  readonly #storage: StorageLayers | undefined
  readonly #slot = new Uint8Array(SLOT_DIGITS)
  readonly #calls: OpenCall[] = []
  readonly #markerTarget: Uint8Array | undefined
  #names: readonly Uint8Array[] = []
  /** Whether the cost of a call includes the gas it forwards. */
  #countsForwarded = false
  /** `,"depth":1` and the text before the stack. */
  #depthText = NULL
  #depth = -1
  #isEmpty = true
  #awaitsReason = false
  #opcode = 0
  #pc = 0
  #gas = 0

  readonly hooks: ExecutionHooks = {
    enter: (start) => this.#enter(start),
    exit: (end) => this.#exit(end),
    step: (frame) => this.#step(frame),
    stepEnd: (frame, cost, forwarded, halt) => this.#stepEnd(frame, cost, forwarded, halt),
    isFull: () => this.#out.isFull,
    drained: () => this.#out.drained(),
  }

  /** @param markerTarget 20 bytes; a transaction to it is shown as that of a precompile, followed by a STOP */
  constructor(out: JsonWriter, options: StructLogOptions, markerTarget?: Uint8Array) {
    this.#out = out
    this.#markerTarget = markerTarget
    this.#layout = layoutOf(options)
    if (options.disableStack !== true) this.#stack = new FullStackText()
    if (options.disableMemory !== true) this.#memory = new MemoryText({ before: '"', after: '",', separator: 1 })
    if (options.disableStorage !== true) this.#storage = new StorageLayers()
  }

  begin({ rules }: TraceBegin): void {
    this.#names = NAMES.of(rules)
    this.#countsForwarded = !rules.eips.has(GAS_REFORM_EIP)
    this.#out.ascii('{"structLogs":[')
  }

  end({ result, gasUsed }: TraceEnd): void {
    const isFailed = result.outcome !== 'success'
    if (!this.#isEmpty) this.#out.ascii('}')
    this.#out.ascii('],"gas":')
    this.#out.integer(Number(gasUsed))
    this.#out.ascii(`,"failed":${isFailed},"returnValue":"`)
    if (!isFailed) this.#out.hex(result.output)
    this.#out.ascii('"}')
  }

  #enter(start: CallStart): void {
    this.#calls.push({ start, gas: start.gas })
    this.#storage?.enter(start.address)
    this.#memory?.forget()
  }

  #exit(end: CallEnd): void {
    const call = this.#calls.pop()
    if (this.#awaitsReason) this.#writeReason(end.output)
    if (call !== undefined) this.#writeUnstepped(call, end)
    if (end.outcome === 'halt' && end.halt !== undefined && end.atDeposit) this.#writeError(end.halt)
    this.#storage?.exit(end.outcome === 'success')
    this.#memory?.forget()
  }

  /** Writes the entries of calls that executed no opcode. */
  #writeUnstepped({ start: { runs, kind, target }, gas }: OpenCall, { depth, outcome, halt }: CallEnd): void {
    if (runs === 'code' || outcome === 'refused') return
    if (runs === 'precompile') {
      if (depth === 0) this.#writeOpless(gas, halt)
    } else if (outcome === 'success') {
      if (depth === 0 && this.#isMarkerTarget(target)) this.#writeOpless(gas, undefined)
      this.#writeStop(gas, depth)
    } else if (halt !== undefined && (kind === 'CREATE' || kind === 'CREATE2')) {
      if (depth === 0) this.#writeOpless(gas, halt)
      else this.#writeError(halt)
    }
  }

  #isMarkerTarget(address: Uint8Array): boolean {
    return this.#markerTarget !== undefined && equalBytes(address, this.#markerTarget)
  }

  #step(frame: FrameView): void {
    this.#opcode = frame.opcode
    this.#pc = frame.pc
    this.#gas = frame.gas
    this.#stack?.follow(frame)
    this.#memory?.expect(frame)
    if (frame.opcode === SSTORE && frame.stackSize >= 2) this.#noteSlot(frame)
  }

  #noteSlot({ stack, stackSize }: FrameView): void {
    const value = writeWord(this.#slot, 0, stack, 32 * (stackSize - 1))
    writeWord(this.#slot, value, stack, 32 * (stackSize - 2))
  }

  #stepEnd(frame: FrameView, cost: number, forwarded: number, halt: HaltReason | undefined): void {
    const opcode = this.#opcode
    const out = this.#out
    const isCounted = this.#countsForwarded && isCall(opcode)
    this.#writeHead(
      this.#pc,
      this.#names[opcode] as Uint8Array,
      this.#gas,
      isCounted ? cost + forwarded : cost,
      frame.depth,
    )
    if (this.#stack !== undefined) out.raw(this.#stack.text())
    if (opcode === SSTORE && halt === undefined) this.#storage?.set(this.#slot)
    this.#awaitsReason = opcode === REVERT && halt === undefined
    if (this.#memory === undefined && this.#storage?.current === undefined && !this.#awaitsReason) {
      out.raw(this.#layout.plainEnd)
    } else {
      this.#memory?.follow(frame.memory)
      this.#writeRest()
    }
    if (halt !== undefined) this.#writeError(halt)
  }

  #writeHead(pc: number, name: Uint8Array, gas: number, cost: number, depth: number): void {
    if (depth !== this.#depth) {
      this.#depth = depth
      this.#depthText = piece(`,"depth":${depth + 1}${this.#layout.beforeStack}`)
    }
    const buffer = this.#out.reserve(HEAD_BYTES)
    let at = put(buffer, this.#out.position, this.#isEmpty ? FIRST : NEXT)
    at = writeDecimal(buffer, at, pc)
    at = put(buffer, at, name)
    at = writeDecimal(buffer, at, gas)
    at = put(buffer, at, GAS_COST)
    at = writeDecimal(buffer, at, cost)
    at = put(buffer, at, this.#depthText)
    this.#out.commit(at)
    this.#isEmpty = false
  }

  #writeRest(): void {
    const out = this.#out
    out.raw(this.#layout.beforeMemory)
    if (this.#memory !== undefined) out.raw(this.#memory.text())
    out.raw(this.#layout.beforeStorage)
    const storage = this.#storage?.current
    if (storage !== undefined) out.raw(storage.text())
    out.raw(this.#layout.beforeReason)
    if (!this.#awaitsReason) out.raw(NULL)
  }

  /** Omits leading zeros, as for a number. */
  #writeReason(revertData: Uint8Array): void {
    this.#awaitsReason = false
    this.#out.ascii('"0x')
    const first = revertData.findIndex((byte) => byte !== 0)
    if (first >= 0) {
      this.#out.ascii((revertData[first] as number).toString(16))
      this.#out.hex(revertData.subarray(first + 1))
    }
    this.#out.ascii('"')
  }

  #writeError(halt: HaltReason): void {
    if (!this.#isEmpty) this.#out.ascii(`,"error":["${haltName(halt)}"]`)
  }

  /** A call of an account without code is shown as an executed STOP. */
  #writeStop(gas: number, depth: number): void {
    this.#writeHead(0, this.#names[STOP] as Uint8Array, gas, 0, depth)
    this.#memory?.follow(EMPTY_BYTES)
    this.#writeRest()
  }

  /** The message itself executed no opcode. */
  #writeOpless(gas: number, halt: HaltReason | undefined): void {
    this.#out.ascii(
      `{"pc":0,"op":"","gas":${gas},"gasCost":0,"depth":1,"stack":null,"memory":null,"storage":null,"reason":null`,
    )
    this.#isEmpty = false
    if (halt !== undefined) this.#writeError(halt)
  }
}
