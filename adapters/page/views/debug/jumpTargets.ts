/**
 * Names of places in code.
 * @module
 */
import type { Instruction } from '../address/contract/disassemble.ts'

/** PUSH4 selector, EQ, PUSH target, JUMPI, as all compilers dispatch; some swap or copy words between. */
const MAX_DISTANCE = 4

/**
 * Where the dispatcher jumps for each selector.
 * @returns selectors in hex with 0x, by the position of the JUMPDEST
 */
export function jumpTargets(instructions: readonly Instruction[]): ReadonlyMap<number, string> {
  const targets = new Map<number, string>()
  for (const [i, { name, operand }] of instructions.entries()) {
    if (name !== 'PUSH4' || operand === undefined) continue
    const next = instructions.slice(i + 1, i + 1 + MAX_DISTANCE)
    const jump = next.findIndex((instruction) => instruction.name === 'JUMPI')
    const isCompared = next.slice(0, jump).some((instruction) => instruction.name === 'EQ')
    const place = next[jump - 1]
    if (!isCompared || place?.operand === undefined || !place.name.startsWith('PUSH')) continue
    targets.set(Number(place.operand), operand)
  }
  return targets
}
