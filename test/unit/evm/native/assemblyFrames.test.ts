import { describe, expect, it } from 'vitest'
import {
  ANSWER_ADDRESS,
  ANSWER_BITMAP,
  ANSWER_CODE,
  ANSWER_CODE_LENGTH,
  ANSWER_FLAGS,
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  ANSWER_WORD,
  CREATE_GO,
  END_HALT,
  END_SUCCESS,
  EXIT_CALL,
  EXIT_CALL_DIRECT,
  EXIT_CREATE,
  EXIT_DONE,
  EXIT_ENTER,
  EXIT_FRAME_END,
  EXIT_NO_MEMORY,
  EXIT_PAUSED,
  EXIT_STEP,
  EXIT_STORAGE,
  FRAME_GAS,
  FRAME_PC,
  HALT_OUT_OF_GAS,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_GAS,
  STATE_BUDGET,
  STATE_FRAME,
  STATE_MAX_DEPTH,
  STATE_MEMORY_WANTED,
  STATE_SLOT_COUNT,
  STATE_STEPPING,
  STEP_OPCODES,
  TARGET_CODE,
  TARGET_PRECOMPILE,
} from '../../../../src/evm/native/assembly/layout.ts'
import type { NativeInstance } from '../../../../src/evm/native/instance.ts'
import {
  type Answer,
  addressBytes,
  assemble,
  bytesToWord,
  execute,
  finish,
  load,
  loadCode,
  newInstance,
  RETURN_TOP,
  wordBytes,
} from './assemblyHarness.ts'

const instance = newInstance()
const GAS = 2n ** 40n
const PATTERN = 0x1234_5678_9abc_def0_0fed_cba9_8765_4321n

/** Answers every call with the same code, regardless of the target. */
function callsGoTo(code: Uint8Array): Answer {
  return (at, exit) => {
    if (exit !== EXIT_CALL) return
    const [pointer, bitmap] = loadCode(at, code)
    at.setU32(ANSWER_FLAGS, TARGET_CODE)
    at.setU32(ANSWER_CODE, pointer)
    at.setU32(ANSWER_CODE_LENGTH, code.length)
    at.setU32(ANSWER_BITMAP, bitmap)
  }
}

/** Acts like a precompile that copies its input. */
function identity(at: NativeInstance): void {
  const length = at.u32(REQUEST_DATA_LENGTH)
  const output = at.outputSpace(length)
  at.write(output, at.copy(at.u32(REQUEST_DATA), length))
  at.setU32(ANSWER_FLAGS, 1)
  at.setU32(ANSWER_OUTPUT, output)
  at.setU32(ANSWER_OUTPUT_LENGTH, length)
  at.setI64(REQUEST_GAS, at.i64(REQUEST_GAS) - 18n)
}

describe('frames of the native module', () => {
  /**
   * f(n): keeps a pattern in memory; for n > 0 returns n + f(n - 1), read from the return data of the inner call.
   * Writes 20 slots on the way back, so that tables grow while frames of many sizes follow the arena.
   */
  const recursive = ((): Uint8Array => {
    const body = (end: bigint): Uint8Array => {
      const slots = Array.from({ length: 20 }, (_, i) => [1n, 0n, 0x35, 64n, 0x02, BigInt(i), 0x01, 0x55]).flat()
      return assemble(
        ...[PATTERN, 0n, 0x35, 37n, 0x02, 0x52], // mem[37 n] = pattern
        ...[0n, 0x35, 0x15, 0x62, Number(end >> 16n), Number((end >> 8n) & 255n), Number(end & 255n), 0x57], // n = 0: end
        ...[1n, 0n, 0x35, 0x03, 0x59, 0x52], // n - 1 behind the memory
        ...[0n, 0n, 32n, 32n, 0x59, 0x03, 0n, 5n, 0x5a, 0xf1, 0x50], // call with the last word of memory
        ...slots,
        ...[0x3d, 0n, 20_000n, 0x3e, 20_000n, 0x51], // returned
        ...[0n, 0x35, 37n, 0x02, 0x51, PATTERN, 0x14, 0x15, 0x62, 0, 0, 0, 0x57], // the pattern is still there
        ...[0n, 0x35, 0x01, ...RETURN_TOP],
        ...[0x5b, 0n, ...RETURN_TOP],
      )
    }
    const length = body(0n).length
    return body(BigInt(length - assemble(0x5b, 0n, ...RETURN_TOP).length))
  })()

  it.each([1n, 5n, 200n])('keep memory, stack and return data while tables grow, with %d frames open', (depth) => {
    const program = { code: recursive, input: wordBytes(depth), gas: GAS }
    const { end, output } = execute(instance, program, callsGoTo(recursive))
    expect([end, bytesToWord(output)]).toEqual([END_SUCCESS, (depth * (depth + 1n)) / 2n])
    expect(instance.u32(STATE_MAX_DEPTH)).toBe(Number(depth))
    expect(instance.u32(STATE_SLOT_COUNT)).toBe(Number(depth) * 20)
  })

  it('stop at depth 1024, where a call pushes 0', () => {
    const forever = assemble(0n, 0n, 0n, 0n, 0n, 5n, 0x5a, 0xf1, ...RETURN_TOP)
    const { end } = execute(instance, { code: forever, gas: 2n ** 58n }, callsGoTo(forever))
    expect([end, instance.u32(STATE_MAX_DEPTH)]).toEqual([END_SUCCESS, 1024])
  })

  it('pause in a recursion without JUMPDEST', () => {
    const twice = [0n, 0n, 0n, 0n, 0n, 5n, 0x5a, 0xf1, 0x50]
    const code = assemble(...twice, ...twice)
    load(instance, { code, gas: 10_000_000n, budget: 100_000n })
    let pauses = 0
    const answer = callsGoTo(code)
    finish(instance, 10_000_000n, (at, exit) => {
      answer(at, exit)
      if (exit === EXIT_PAUSED) {
        pauses++
        at.setI64(STATE_BUDGET, 100_000n)
      }
    })
    expect(pauses).toBeGreaterThan(80)
  })

  it('that halt lose gas, slots and refund, while the caller continues', () => {
    const failing = assemble(1n, 0n, 0x55, 0n, 0n, 0x55, 0xfe)
    const caller = assemble(0n, 0n, 0n, 0n, 0n, 5n, 0x61, 0xff, 0xff, 0xf1, 0n, 0x54, 0x17, ...RETURN_TOP)
    const { end, output, gasUsed } = execute(instance, { code: caller }, callsGoTo(failing))
    expect([end, bytesToWord(output)]).toEqual([END_SUCCESS, 0n])
    expect(gasUsed).toBe(6n * 3n + 3n + 2600n + 65_535n + 3n + 2100n + 3n + 15n)
  })

  it('keep the output of a precompile behind the memory, and move it when the memory grows into it', () => {
    const call = [0n, 0n, 32n, 0n, 0n, 4n, 0x5a, 0xf1]
    // Return data of 32 bytes, then memory up to 64 KiB, then the return data again.
    const code = assemble(
      PATTERN,
      0n,
      0x52,
      ...call,
      0x50,
      1n,
      65_000n,
      0x52,
      32n,
      0n,
      64n,
      0x3e,
      64n,
      0x51,
      ...RETURN_TOP,
    )
    const { output } = execute(instance, { code }, (at, exit) => {
      if (exit === EXIT_CALL) at.setU32(ANSWER_FLAGS, TARGET_PRECOMPILE)
      if (exit === EXIT_CALL_DIRECT) identity(at)
    })
    expect(bytesToWord(output)).toBe(PATTERN)
  })

  it('of creations run init code and push the address', () => {
    const created = 0xabcdef_0123_4567_89ab_cdef_0123_4567_89ab_cdefn & (2n ** 160n - 1n)
    // Init code: returns its own size, by CODESIZE.
    const init = assemble(0x38, ...RETURN_TOP)
    const store = [bytesToWord(init) << BigInt(8 * (32 - init.length)), 0n, 0x52]
    const code = assemble(...store, BigInt(init.length), 0n, 7n, 0xf0, ...RETURN_TOP)
    const exits: number[] = []
    const outputs: bigint[] = []
    const { output } = execute(instance, { code }, (at, exit) => {
      exits.push(exit)
      if (exit === EXIT_CREATE) {
        expect(at.copy(at.u32(REQUEST_DATA), at.u32(REQUEST_DATA_LENGTH))).toEqual(init)
        at.setU32(ANSWER_FLAGS, CREATE_GO)
        at.write(ANSWER_ADDRESS, addressBytes(created))
      }
      if (exit === EXIT_FRAME_END)
        outputs.push(bytesToWord(at.copy(at.u32(ANSWER_OUTPUT), at.u32(ANSWER_OUTPUT_LENGTH))))
    })
    expect(exits).toEqual([EXIT_CREATE, EXIT_ENTER, EXIT_FRAME_END, EXIT_FRAME_END])
    expect([bytesToWord(output), outputs[0]]).toEqual([created, BigInt(init.length)])
  })
})

describe('delays', () => {
  it('memory that cannot grow is a status after the gas check, and changes nothing', () => {
    const code = assemble(1n, 0xffff_fe00n, 0x52)
    expect(execute(instance, { code })).toMatchObject({ end: END_HALT, halt: HALT_OUT_OF_GAS })
    load(instance, { code, gas: 2n ** 60n })
    for (let again = 0; again < 2; again++) {
      expect(instance.run()).toBe(EXIT_NO_MEMORY)
      const frame = instance.u32(STATE_FRAME)
      expect([instance.i64(frame + FRAME_GAS), instance.u32(frame + FRAME_PC)]).toEqual([2n ** 60n - 6n, 7])
      expect(instance.u32(STATE_MEMORY_WANTED)).toBeGreaterThan(0xf000_0000)
    }
  })

  it('an answer may be late', () => {
    load(instance, { code: assemble(5n, 0x54, ...RETURN_TOP) })
    expect(instance.run()).toBe(EXIT_STORAGE)
    instance.setWord(ANSWER_WORD, 9n)
    const { output, gasUsed } = finish(instance, 10_000_000n)
    expect([bytesToWord(output), gasUsed]).toEqual([9n, 3n + 2100n + 15n])
    expect(instance.run()).toBe(EXIT_DONE)
  })

  it('stepping exits once before every opcode, including those that run twice', () => {
    const code = assemble(2n, 0x54, 1n, 0x5b, 0x01, ...RETURN_TOP)
    const whole = execute(instance, { code })
    load(instance, { code, budget: 1n })
    instance.bytes.fill(1, STEP_OPCODES, STEP_OPCODES + 256)
    instance.setU32(STATE_STEPPING, 1)
    const places: number[] = []
    const stepped = finish(instance, 10_000_000n, (at, exit) => {
      if (exit === EXIT_STEP) places.push(at.u32(at.u32(STATE_FRAME) + FRAME_PC))
      else at.setI64(STATE_BUDGET, 1n)
    })
    expect(stepped).toEqual(whole)
    expect(places).toEqual([0, 2, 3, 5, 6, 7, 9, 10, 12, 14])
  })
})
