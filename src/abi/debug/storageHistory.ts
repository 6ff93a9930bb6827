/**
 * The slots of an account that executions read and wrote, with the keys of mappings that they used.
 * @module
 */
import { bytesToBigInt, equalBytes } from '../../base/primitives/bytes.ts'
import type { ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { Preimages } from '../layout/preimages.ts'
import { hashedInput } from './hashedInput.ts'
import { wordAt } from './wordsOfFrame.ts'

const KECCAK256 = 0x20
const SLOAD = 0x54
const SSTORE = 0x55
const MAX_SLOTS = 16_384

export class StorageHistory {
  readonly hooks: Required<Pick<ExecutionHooks, 'opcodes' | 'step'>>
  readonly preimages: Preimages = new Preimages()
  readonly slots: Set<bigint> = new Set()
  readonly #address: Uint8Array

  /** @param address 20 bytes */
  constructor(address: Uint8Array) {
    this.#address = address
    const opcodes = new Uint8Array(256)
    for (const opcode of [KECCAK256, SLOAD, SSTORE]) opcodes[opcode] = 1
    this.hooks = { opcodes, step: (frame) => this.#step(frame) }
  }

  #step(frame: FrameView): void {
    if (!equalBytes(frame.address, this.#address)) return
    if (frame.opcode === KECCAK256) {
      const input = hashedInput(frame)
      if (input !== undefined) this.preimages.add(input)
      return
    }
    if (frame.stackSize === 0 || this.slots.size >= MAX_SLOTS) return
    this.slots.add(bytesToBigInt(wordAt(frame, frame.stackSize - 1)))
  }
}
