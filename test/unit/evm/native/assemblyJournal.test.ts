import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  ANSWER_BITMAP,
  ANSWER_CODE,
  ANSWER_CODE_LENGTH,
  ANSWER_FLAGS,
  END_SUCCESS,
  EXIT_CALL,
  REQUEST_ADDRESS,
  SLOT_BYTES,
  SLOT_FLAGS,
  SLOT_IS_DIRTY,
  STATE_SLOT_COUNT,
  STATE_SLOT_TABLE,
  TARGET_CODE,
} from '../../../../src/evm/native/assembly/layout.ts'
import { assemble, bytesToWord, execute, loadCode, newInstance } from './assemblyHarness.ts'

const SLOTS = [0n, 1n, 2n]
const [SSTORE, TSTORE] = [0x55, 0x5d]
const FIRST_ADDRESS = 0x100
/** Each call gets a 32nd of it: enough for all frames, even though some consume theirs. */
const GAS = 2n ** 50n

/** The steps of a frame in order, and its end. */
interface Frame {
  readonly steps: readonly (Write | Frame)[]
  readonly end: 'stop' | 'revert' | 'invalid'
}

interface Write {
  readonly store: number
  readonly slot: bigint
  readonly value: bigint
}

const write = fc.record({
  store: fc.constantFrom(SSTORE, TSTORE),
  slot: fc.constantFrom(...SLOTS),
  value: fc.bigInt(0n, 3n),
})
const { frame } = fc.letrec<{ frame: Frame }>((tie) => ({
  frame: fc.record({
    steps: fc.array(fc.oneof({ depthSize: 'large', maxDepth: 4 }, write, tie('frame')), { maxLength: 7 }),
    end: fc.constantFrom('stop', 'stop', 'revert', 'invalid'),
  }),
}))

const ENDS: Record<Frame['end'], readonly (number | bigint)[]> = {
  stop: [0x00],
  revert: [0n, 0n, 0xfd],
  invalid: [0xfe],
}
/** Returns the words of all slots, first storage, then transient. */
const GIVE_ALL = [
  ...[0x54, 0x5c].flatMap((load, i) =>
    SLOTS.flatMap((slot) => [slot, load, (BigInt(i * SLOTS.length) + slot) * 32n, 0x52]),
  ),
  ...[BigInt(2 * SLOTS.length * 32), 0n, 0xf3],
]

/**
 * Appends the code of the frame and of all frames below it. Each code belongs to a separate account and is called by
 * DELEGATECALL.
 */
function compile({ steps, end }: Frame, codes: Uint8Array[], ending = ENDS[end], gas = GAS): number {
  const index = codes.push(new Uint8Array(0)) - 1
  const body = steps.flatMap((step) => {
    if ('store' in step) return [step.value, step.slot, step.store]
    const address = BigInt(FIRST_ADDRESS + compile(step, codes, ENDS[step.end], gas >> 5n))
    return [0n, 0n, 0n, 0n, address, gas >> 5n, 0xf4, 0x50]
  })
  codes[index] = assemble(...body, ...ending)
  return index
}

type Values = Map<string, bigint>

/** @returns the values after the frame; after a failed frame those of its caller */
function valuesAfter({ steps, end }: Frame, before: Values): Values {
  let values = new Map(before)
  for (const step of steps) {
    if ('store' in step) values.set(`${step.store} ${step.slot}`, step.value)
    else values = valuesAfter(step, values)
  }
  return end === 'stop' ? values : before
}

it('slots have the values written by frames that did not fail', () => {
  const instance = newInstance()
  fc.assert(
    fc.property(frame, ({ steps }) => {
      const top: Frame = { steps, end: 'stop' }
      const codes: Uint8Array[] = []
      compile(top, codes, GIVE_ALL)
      const { end, output } = execute(instance, { code: codes[0] as Uint8Array, gas: GAS }, (at, exit) => {
        if (exit !== EXIT_CALL) return
        const code = codes[Number(bytesToWord(at.address(REQUEST_ADDRESS))) - FIRST_ADDRESS] as Uint8Array
        const [pointer, bitmap] = loadCode(at, code)
        at.setU32(ANSWER_FLAGS, TARGET_CODE)
        at.setU32(ANSWER_CODE, pointer)
        at.setU32(ANSWER_CODE_LENGTH, code.length)
        at.setU32(ANSWER_BITMAP, bitmap)
      })
      const values = valuesAfter(top, new Map())
      const words = Array.from({ length: output.length / 32 }, (_, i) =>
        bytesToWord(output.subarray(32 * i, 32 * i + 32)),
      )
      const expected = [SSTORE, TSTORE].flatMap((store) => SLOTS.map((slot) => values.get(`${store} ${slot}`) ?? 0n))
      expect([end, words]).toEqual([END_SUCCESS, expected])
      // Slots that have become nonzero must be flushed.
      const table = instance.u32(STATE_SLOT_TABLE)
      for (let id = 0; id < instance.u32(STATE_SLOT_COUNT); id++) {
        const isDirty = (instance.u32(table + id * SLOT_BYTES + SLOT_FLAGS) & SLOT_IS_DIRTY) !== 0
        instance.slotValue(id, 0x3000)
        if (instance.word(0x3000) !== 0n) expect(isDirty).toBe(true)
      }
    }),
    { seed: 20_931, numRuns: 500 },
  )
})
