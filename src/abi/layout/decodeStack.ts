/**
 * Decodes variables whose words are on the stack: values, and references to memory, call data and storage.
 * @module
 */
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { CalldataDecoder } from './decodeCalldata.ts'
import { MemoryDecoder } from './decodeMemory.ts'
import { type SlotSource, StorageDecoder } from './decodeStorage.ts'
import { type DataLocation, isValueType, type SolidityType, WORD } from './solidityType.ts'
import { type DecodeBudget, notKnown, type Variable, wordVariable } from './variable.ts'

/** The data to which the references of a frame point. */
export interface FrameData {
  /** undefined: not known */
  readonly memory: Uint8Array | undefined
  readonly calldata: Uint8Array
  readonly storage: SlotSource
}

const SELECTOR_BYTES = 4

export class StackDecoder {
  readonly #memory: MemoryDecoder | undefined
  readonly #calldata: CalldataDecoder
  readonly #storage: StorageDecoder

  constructor({ memory, calldata, storage }: FrameData, budget: DecodeBudget) {
    this.#memory = memory && new MemoryDecoder(memory, budget)
    this.#calldata = new CalldataDecoder(calldata, budget)
    this.#storage = new StorageDecoder(storage, budget)
  }

  /** @param words as many as `stackWords` says, the lowest first, 32 bytes each */
  variable(name: string, type: SolidityType, location: DataLocation, words: readonly Uint8Array[]): Variable {
    const [first, second] = words
    if (first === undefined) return notKnown(name, type.label)
    if (isValueType(type)) {
      const word = type.kind === 'function' && second !== undefined ? externalFunction(first, second) : first
      return { ...wordVariable(name, type, word), location: 'stack' }
    }
    switch (location) {
      case 'storage':
        return { ...this.#storage.variable(name, type, { slot: bytesToBigInt(first), offset: 0 }), location }
      case 'calldata':
        return { ...this.#calldata.referenced(name, type, first, second), location }
      case 'memory':
        return { ...(this.#memory?.at(name, type, first) ?? notKnown(name, type.label)), location }
      default:
        return notKnown(name, type.label)
    }
  }
}

/** Address and selector have a word each, at its right end. */
function externalFunction(address: Uint8Array, selector: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD)
  word.set(address.subarray(SELECTOR_BYTES))
  word.set(selector.subarray(WORD - SELECTOR_BYTES), WORD - SELECTOR_BYTES)
  return word
}
