/**
 * For each word of the stack, the position of the instruction that pushed it.
 * @module
 */
import type { ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import { SWAPPED, WORDS_LEFT, WORDS_TAKEN } from '../../tracing/structLog/opcodes.ts'

const MAX_WORDS = 1_024
const FIRST_WORDS = 32
const UNKNOWN = -1
const DUP1 = 0x80
const DUP16 = 0x8f

export class WordOrigins {
  /** `step` is left to the caller: it may begin at any step, but must then see all of them. */
  readonly hooks: Required<Pick<ExecutionHooks, 'enter' | 'exit'>> = {
    enter: () => {
      this.#open.push(new Int32Array(FIRST_WORDS).fill(UNKNOWN))
    },
    exit: () => {
      this.#open.pop()
    },
  }
  readonly #open: Int32Array[] = []

  /** Of the innermost call, bottom first; null where it is not known. */
  origins(stackSize: number): (number | null)[] {
    const origins = this.#open.at(-1)
    return Array.from({ length: Math.min(stackSize, MAX_WORDS) }, (_, i) => {
      const pc = origins?.[i] ?? UNKNOWN
      return pc === UNKNOWN ? null : pc
    })
  }

  step({ opcode, pc, stackSize }: FrameView): void {
    const taken = WORDS_TAKEN[opcode] as number
    if (stackSize < taken || this.#open.length === 0) return
    const swapped = SWAPPED[opcode] as number
    const top = stackSize - 1
    if (swapped > 0) {
      const origins = this.#sized(stackSize)
      const moved = origins[top] as number
      origins[top] = origins[top - swapped] as number
      origins[top - swapped] = moved
    } else if ((WORDS_LEFT[opcode] as number) > 0) {
      const index = isCopy(opcode) ? stackSize : stackSize - taken
      this.#sized(index + 1)[index] = pc
    }
  }

  #sized(size: number): Int32Array {
    const last = this.#open.length - 1
    const origins = this.#open[last] as Int32Array
    if (size <= origins.length) return origins
    const larger = new Int32Array(Math.min(MAX_WORDS + 1, 2 * size)).fill(UNKNOWN)
    larger.set(origins)
    this.#open[last] = larger
    return larger
  }
}

/** DUP1 to DUP16 keep the words that they need. */
function isCopy(opcode: number): boolean {
  return opcode >= DUP1 && opcode <= DUP16
}
