/**
 * Records which accounts and slots a transaction touches, for prestateTracer.
 * @module
 */
import type { CallEnd, CallStart, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { ByteTable } from '../../state/byteTable.ts'
import { WORDS_TAKEN } from '../structLog/opcodes.ts'

const BALANCE = 0x31
const EXTCODESIZE = 0x3b
const EXTCODECOPY = 0x3c
const EXTCODEHASH = 0x3f
const SLOAD = 0x54
const SSTORE = 0x55
const SELFDESTRUCT = 0xff

/** Opcodes to observe; calls and creations have their own hooks. */
const STEPPED: Uint8Array = new Uint8Array(256)
for (const opcode of [BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SLOAD, SSTORE, SELFDESTRUCT]) STEPPED[opcode] = 1

const WORD_BYTES = 32
const ADDRESS_BYTES = 20

export interface TouchedAccount {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 32 bytes each */
  readonly slots: Uint8Array[]
}

/** Allocates nothing for a step, since programs access the same accounts and slots repeatedly. */
export class TouchedState {
  readonly hooks: ExecutionHooks
  readonly #addresses = new ByteTable(ADDRESS_BYTES)
  /** Scoped by account id. */
  readonly #slots = new ByteTable(WORD_BYTES)
  readonly #called = new Set<number>()
  #root: Uint8Array | undefined
  #addressCount = 0
  #slotCount = 0
  /** Whether the access of the last step is still pending, because its opcode may halt. */
  #isOpen = false
  #openDepth = 0
  #openPc = 0
  #openHasSlot = false
  readonly #openAddress = new Uint8Array(ADDRESS_BYTES)
  /** Big-endian. */
  readonly #openWord = new Uint8Array(WORD_BYTES)

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
    this.#accountId(address)
  }

  /** Records the pending access of the last step. */
  settle(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const account = this.#accountId(this.#openAddress)
    if (this.#openHasSlot && this.#slots.add(account, this.#openWord) === this.#slotCount) this.#slotCount++
  }

  /** In the order of first access. */
  get accounts(): readonly TouchedAccount[] {
    const accounts: TouchedAccount[] = []
    for (let id = 0; id < this.#addressCount; id++) accounts.push({ address: this.#addresses.keyOf(id), slots: [] })
    for (let id = 0; id < this.#slotCount; id++) accounts[this.#slots.scopeOf(id)]?.slots.push(this.#slots.keyOf(id))
    return accounts
  }

  /**
   * Accounts called by the transaction and by its code, 20 bytes each. If their code delegates to another account, that
   * one is touched too (EIP-7702).
   */
  get called(): { readonly root: Uint8Array | undefined; readonly inner: readonly Uint8Array[] } {
    return { root: this.#root, inner: [...this.#called].map((id) => this.#addresses.keyOf(id)) }
  }

  #accountId(address: Uint8Array): number {
    const id = this.#addresses.add(0, address)
    if (id === this.#addressCount) this.#addressCount++
    return id
  }

  #enter({ kind, target, depth }: CallStart): void {
    this.settle()
    const id = this.#accountId(target)
    if (kind === 'CREATE' || kind === 'CREATE2') return
    if (depth === 0) this.#root = target
    else this.#called.add(id)
  }

  /** Discards the access of an opcode that halted. */
  #exit({ depth, haltPlace }: CallEnd): void {
    if (this.#openDepth === depth && this.#openPc === haltPlace?.pc) this.#isOpen = false
    this.settle()
  }

  #step(frame: FrameView): void {
    this.settle()
    const { opcode, stackSize } = frame
    if (stackSize < (WORDS_TAKEN[opcode] as number)) return
    const { stack } = frame
    const word = this.#openWord
    for (let i = 0, at = stackSize * WORD_BYTES - 1; i < WORD_BYTES; i++) word[i] = stack[at - i] as number
    this.#openHasSlot = opcode === SLOAD || opcode === SSTORE
    this.#openAddress.set(this.#openHasSlot ? frame.address : word.subarray(WORD_BYTES - ADDRESS_BYTES))
    this.#openDepth = frame.depth
    this.#openPc = frame.pc
    this.#isOpen = true
  }
}
