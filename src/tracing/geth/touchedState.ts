/**
 * Which accounts and slots a transaction looks at: what prestateTracer tells the values of.
 * @module
 */
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { bytesToHex } from '../../primitives/bytes.ts'
import { WORDS_TAKEN } from '../structLog/opcodes.ts'

const BALANCE = 0x31
const EXTCODESIZE = 0x3b
const EXTCODECOPY = 0x3c
const EXTCODEHASH = 0x3f
const SLOAD = 0x54
const SSTORE = 0x55
const SELFDESTRUCT = 0xff

/** Calls and creations are hooks of their own. */
const STEPPED: Uint8Array = new Uint8Array(256)
for (const opcode of [BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SLOAD, SSTORE, SELFDESTRUCT]) STEPPED[opcode] = 1

const WORD_BYTES = 32
const ADDRESS_BYTES = 20

/** A look whose opcode may yet turn out not to run. */
interface Look {
  readonly depth: number
  readonly pc: number
  /** hex */
  readonly address: string
  /** hex; undefined: the account alone */
  readonly slot: string | undefined
}

/** Addresses and slots are in hex. */
export class TouchedState {
  readonly hooks: ExecutionHooks
  /** Address → slots */
  readonly accounts: Map<string, Set<string>> = new Map()
  /** Accounts that were called: when their code only names others, those matter too (EIP-7702). */
  readonly called: Set<string> = new Set()
  #look: Look | undefined

  constructor() {
    this.hooks = {
      opcodes: STEPPED,
      enter: (call) => this.#enter(call),
      exit: (end) => this.#exit(end),
      step: (frame) => this.#step(frame),
    }
  }

  /** @param address 20 bytes */
  add(address: Uint8Array): void {
    this.#slotsOf(bytesToHex(address))
  }

  /** Ends what the last opcode began. */
  settle(): void {
    const look = this.#look
    if (look === undefined) return
    this.#look = undefined
    const slots = this.#slotsOf(look.address)
    if (look.slot !== undefined) slots.add(look.slot)
  }

  #slotsOf(address: string): Set<string> {
    let slots = this.accounts.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.accounts.set(address, slots)
    }
    return slots
  }

  #enter({ kind, target }: CallStart): void {
    this.settle()
    const address = bytesToHex(target)
    this.#slotsOf(address)
    if (kind !== 'CREATE' && kind !== 'CREATE2') this.called.add(address)
  }

  /** What an opcode that halted would have looked at does not count. */
  #exit({ depth, haltPlace }: CallEnd): void {
    const look = this.#look
    if (look !== undefined && look.depth === depth && look.pc === haltPlace?.pc) this.#look = undefined
    this.settle()
  }

  #step(frame: FrameView): void {
    this.settle()
    const { depth, pc, opcode } = frame
    if (frame.stackSize < (WORDS_TAKEN[opcode] as number)) return
    const isStorage = opcode === SLOAD || opcode === SSTORE
    const top = topWord(frame)
    this.#look = isStorage
      ? { depth, pc, address: bytesToHex(frame.address), slot: bytesToHex(top) }
      : { depth, pc, address: bytesToHex(top.subarray(WORD_BYTES - ADDRESS_BYTES)), slot: undefined }
  }
}

/** Most significant byte first. */
function topWord({ stack, stackSize }: FrameView): Uint8Array {
  return stack.slice((stackSize - 1) * WORD_BYTES, stackSize * WORD_BYTES).reverse()
}
