import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import {
  ANSWER_WORD,
  END_HALT,
  END_REVERT,
  END_SUCCESS,
  EXIT_FRAME_END,
  EXIT_PAUSED,
  EXIT_STORAGE,
  FRAME_IS_STATIC,
  HALT_INVALID_JUMP,
  HALT_INVALID_OPCODE,
  HALT_OUT_OF_GAS,
  HALT_RETURN_DATA_BOUNDS,
  HALT_STACK_OVERFLOW,
  HALT_STACK_UNDERFLOW,
  HALT_STATIC_STATE_CHANGE,
  SLOT_BYTES,
  SLOT_FLAGS,
  SLOT_IS_DIRTY,
  STATE_BUDGET,
  STATE_REFUND,
  STATE_SLOT_COUNT,
  STATE_SLOT_TABLE,
} from '../../../../src/evm/native/assembly/layout.ts'
import {
  assemble,
  bytesToWord,
  execute,
  finish,
  load,
  newInstance,
  type Program,
  RETURN_TOP,
} from './assemblyHarness.ts'

const instance = newInstance()

function returned(code: Uint8Array, more: Partial<Program> = {}): bigint {
  return bytesToWord(execute(instance, { ...more, code }).output)
}

describe('keccak256', () => {
  it("agrees with the project's keccak256 around every block boundary", () => {
    for (const length of [0, 1, 31, 32, 64, 135, 136, 137, 271, 272, 273, 1000]) {
      instance.reset()
      const data = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255)
      const pointer = instance.allocate(length + 32)
      instance.write(pointer, data)
      instance.keccak256(pointer, length, pointer + length)
      expect(instance.copy(pointer + length, 32)).toEqual(keccak256(data))
    }
  })

  it('charges for words and memory as an opcode', () => {
    const code = assemble(33n, 0n, 0x20, 0n, 0x52, 32n, 0n, 0xf3)
    const { output, gasUsed } = execute(instance, { code })
    expect(output).toEqual(keccak256(new Uint8Array(33)))
    expect(gasUsed).toBe(3n + 3n + (30n + 2n * 6n + 6n) + 3n + 3n + 3n + 3n)
  })
})

describe('memory', () => {
  const cost = (bytes: bigint): bigint => {
    const words = (bytes + 31n) / 32n
    return 3n * words + (words * words) / 512n
  }

  it.each([0n, 1n, 31n, 32n, 33n, 1023n, 100_000n, 1_000_000n])(
    'MSTORE at %d pays for the words up to its end',
    (offset) => {
      const code = assemble(1n, offset, 0x52, 0x59, ...RETURN_TOP)
      const { gasUsed, output } = execute(instance, { code, gas: 100_000_000n })
      const size = ((offset + 63n) / 32n) * 32n
      expect(bytesToWord(output)).toBe(size)
      expect(gasUsed).toBe(3n + 3n + 3n + cost(size) + 2n + 3n + 3n + 3n + 3n)
    },
  )

  it('runs out of gas beyond any limit, and charges nothing for an empty range at any offset', () => {
    for (const far of [2n ** 32n, 2n ** 64n, 2n ** 256n - 1n]) {
      expect(execute(instance, { code: assemble(far, 0x51) })).toMatchObject({ end: END_HALT, halt: HALT_OUT_OF_GAS })
      expect(execute(instance, { code: assemble(far, 1n, 0xf3) })).toMatchObject({ halt: HALT_OUT_OF_GAS })
      expect(execute(instance, { code: assemble(0n, far, 0xf3) })).toMatchObject({ end: END_SUCCESS, gasUsed: 6n })
    }
  })

  it('is zero at the start of a message, regardless of the previous one', () => {
    execute(instance, { code: assemble(2n ** 256n - 1n, 64n, 0x52, 2n ** 256n - 1n, 0n, 0x52) })
    expect(returned(assemble(33n, 0x51, ...RETURN_TOP))).toBe(0n)
  })

  it('MCOPY copies overlapping ranges in both directions', () => {
    const word = 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10n
    const up = assemble(word, 0n, 0x52, 32n, 0n, 1n, 0x5e, 1n, 0x51, ...RETURN_TOP)
    expect(returned(up)).toBe(word)
    const down = assemble(word, 1n, 0x52, 32n, 1n, 0n, 0x5e, 0n, 0x51, ...RETURN_TOP)
    expect(returned(down)).toBe(word)
  })

  it('MSTORE8 stores the low byte', () => {
    expect(returned(assemble(0x1234n, 31n, 0x53, 0n, 0x51, ...RETURN_TOP))).toBe(0x34n)
  })
})

describe('input and code', () => {
  const input = Uint8Array.from({ length: 40 }, (_, i) => i + 1)

  it('CALLDATALOAD pads with zeros', () => {
    const at = (offset: bigint): bigint => returned(assemble(offset, 0x35, ...RETURN_TOP), { input })
    expect(at(0n)).toBe(bytesToWord(input.subarray(0, 32)))
    expect(at(20n)).toBe(bytesToWord(input.subarray(20)) << 96n)
    for (const beyond of [40n, 41n, 2n ** 32n, 2n ** 255n]) expect(at(beyond)).toBe(0n)
  })

  it('CALLDATACOPY and CODECOPY pad with zeros', () => {
    const copied = execute(instance, { code: assemble(32n, 30n, 0n, 0x37, 32n, 0n, 0xf3), input }).output
    expect([...copied]).toEqual([...input.subarray(30), ...new Array(22).fill(0)])
    const code = assemble(32n, 3n, 0n, 0x39, 32n, 0n, 0xf3)
    expect([...execute(instance, { code }).output]).toEqual([
      ...code.subarray(3),
      ...new Array(32 - code.length + 3).fill(0),
    ])
  })

  it('every PUSH reads its bytes, even beyond the end of the code', () => {
    for (let size = 1; size <= 32; size++) {
      const bytes = Array.from({ length: size }, (_, i) => 0xa0 + i)
      expect(returned(Uint8Array.from([0x5f + size, ...bytes, ...assemble(...RETURN_TOP)]))).toBe(
        bytesToWord(Uint8Array.from(bytes)),
      )
      expect(execute(instance, { code: Uint8Array.from([0x5f + size, 1]) })).toMatchObject({
        end: END_SUCCESS,
        gasUsed: 3n,
      })
    }
  })

  it('DUP and SWAP reach 16 words down', () => {
    const pushes = Array.from({ length: 17 }, (_, i) => BigInt(i + 1))
    for (let n = 1; n <= 16; n++) {
      expect(returned(assemble(...pushes, 0x7f + n, ...RETURN_TOP))).toBe(BigInt(18 - n))
      expect(returned(assemble(...pushes, 0x8f + n, ...RETURN_TOP))).toBe(BigInt(17 - n))
    }
  })

  it('jumps only to JUMPDESTs that are not data', () => {
    expect(returned(assemble(4n, 0x56, 0xfe, 0x5b, 7n, ...RETURN_TOP))).toBe(7n)
    for (const target of [3n, 1n, 200n, 2n ** 64n + 4n]) {
      const code = assemble(target, 0x56, 0xfe, 0x5b)
      expect(execute(instance, { code })).toMatchObject({ end: END_HALT, halt: HALT_INVALID_JUMP })
    }
    const inData = assemble(3n, 0x56, 0x5bn, 0x00)
    expect(execute(instance, { code: inData })).toMatchObject({ halt: HALT_INVALID_JUMP })
    expect(execute(instance, { code: assemble(0n, 9n, 0x57) })).toMatchObject({ end: END_SUCCESS })
  })
})

describe('halts follow the order of the checks', () => {
  const cases: readonly (readonly [string, Program, number])[] = [
    ['an undefined opcode without gas', { code: assemble(0x0c), gas: 0n }, HALT_INVALID_OPCODE],
    ['ADD without words and without gas', { code: assemble(0x01), gas: 0n }, HALT_OUT_OF_GAS],
    ['ADD without words', { code: assemble(1n, 0x01) }, HALT_STACK_UNDERFLOW],
    ['MLOAD without words and without gas', { code: assemble(0x51), gas: 0n }, HALT_STACK_UNDERFLOW],
    ['SLOAD without words and without gas', { code: assemble(0x54), gas: 0n }, HALT_STACK_UNDERFLOW],
    ['1025 words', { code: Uint8Array.from(new Array(1025).fill(0x30)) }, HALT_STACK_OVERFLOW],
    ['1025 words by DUP', { code: Uint8Array.from([0x30, ...new Array(1024).fill(0x80)]) }, HALT_STACK_OVERFLOW],
    [
      'static SSTORE without words',
      { code: assemble(0x55), flags: FRAME_IS_STATIC, gas: 0n },
      HALT_STATIC_STATE_CHANGE,
    ],
    ['static LOG0', { code: assemble(0n, 0n, 0xa0), flags: FRAME_IS_STATIC }, HALT_STATIC_STATE_CHANGE],
    ['static TSTORE without words', { code: assemble(0x5d), flags: FRAME_IS_STATIC }, HALT_STATIC_STATE_CHANGE],
    ['static TSTORE without gas', { code: assemble(0x5d), flags: FRAME_IS_STATIC, gas: 99n }, HALT_OUT_OF_GAS],
    ['static CREATE without words', { code: assemble(0xf0), flags: FRAME_IS_STATIC }, HALT_STACK_UNDERFLOW],
    [
      'static CREATE without gas',
      { code: assemble(0n, 0n, 0n, 0xf0), flags: FRAME_IS_STATIC, gas: 9n },
      HALT_STATIC_STATE_CHANGE,
    ],
    ['LOG2 with two words', { code: assemble(0n, 0n, 0xa2) }, HALT_STACK_UNDERFLOW],
    ['LOG2 with two words without gas', { code: assemble(0n, 0n, 0xa2), gas: 1000n }, HALT_OUT_OF_GAS],
    ['RETURNDATACOPY of nothing', { code: assemble(1n, 0n, 0n, 0x3e), gas: 9n }, HALT_RETURN_DATA_BOUNDS],
    ['PUSH0 before Shanghai', { code: assemble(0x5f), fork: 'paris' }, HALT_INVALID_OPCODE],
    ['CLZ before Osaka', { code: assemble(1n, 0x1e), fork: 'prague' }, HALT_INVALID_OPCODE],
  ]

  it.each(cases)('%s', (_, program, halt) => {
    const gas = program.gas ?? 10_000_000n
    expect(execute(instance, program)).toEqual({ end: END_HALT, halt, gasUsed: gas, output: new Uint8Array(0) })
  })

  it('1024 words are allowed', () => {
    expect(execute(instance, { code: Uint8Array.from(new Array(1024).fill(0x30)) })).toMatchObject({ end: END_SUCCESS })
  })

  it('REVERT keeps gas and returns data', () => {
    const { end, gasUsed, output } = execute(instance, { code: assemble(7n, 0n, 0x52, 32n, 0n, 0xfd) })
    expect([end, gasUsed, bytesToWord(output)]).toEqual([END_REVERT, 18n, 7n])
  })
})

describe('storage', () => {
  /**
   * Stores the values one after the other, starting from the original; returns the gas of the SSTOREs alone, and the
   * refund.
   */
  function stored(fork: ForkName, original: bigint, values: readonly bigint[]): [gas: bigint, refund: bigint] {
    const code = assemble(...values.flatMap((value) => [value, 0n, 0x55]))
    const { gasUsed } = execute(instance, { code, fork }, (_, exit) => {
      if (exit !== EXIT_STORAGE) return
      instance.setWord(ANSWER_WORD, original)
      instance.setWord(ANSWER_WORD + 32, original)
    })
    return [gasUsed - 6n * BigInt(values.length), instance.i64(STATE_REFUND)]
  }

  // The table of EIP-2200, shared with EIP-1283, with the amounts of the four schedules.
  const table: readonly (readonly [
    readonly number[],
    number,
    [number, number],
    [number, number],
    [number, number],
    [number, number],
  ])[] = [
    [[0, 0], 0, [10_000, 0], [400, 0], [1600, 0], [2300, 0]],
    [[0, 1], 0, [25_000, 0], [20_200, 0], [20_800, 0], [22_200, 0]],
    [[1, 0], 0, [25_000, 15_000], [20_200, 19_800], [20_800, 19_200], [22_200, 19_900]],
    [[1, 2], 0, [25_000, 0], [20_200, 0], [20_800, 0], [22_200, 0]],
    [[0, 0], 1, [10_000, 15_000], [5200, 15_000], [5800, 15_000], [5100, 4800]],
    [[0, 1], 1, [25_000, 15_000], [5200, 4800], [5800, 4200], [5100, 2800]],
    [[0, 2], 1, [25_000, 15_000], [5200, 0], [5800, 0], [5100, 0]],
    [[2, 0], 1, [10_000, 15_000], [5200, 15_000], [5800, 15_000], [5100, 4800]],
    [[2, 1], 1, [10_000, 0], [5200, 4800], [5800, 4200], [5100, 2800]],
    [[1, 1], 1, [10_000, 0], [400, 0], [1600, 0], [2300, 0]],
  ]
  const forks: readonly ForkName[] = ['petersburg', 'constantinople', 'istanbul', 'london']

  it.each(table)('values %j over %d', (values, original, ...expected) => {
    forks.forEach((fork, i) => {
      const [gas, refund] = expected[i] as [number, number]
      expect([fork, ...stored(fork, BigInt(original), values.map(BigInt))]).toEqual([fork, BigInt(gas), BigInt(refund)])
    })
  })

  it('SSTORE requires more gas than the stipend (EIP-2200)', () => {
    const code = assemble(1n, 0n, 0x55)
    expect(execute(instance, { code, gas: 2306n })).toMatchObject({ halt: HALT_OUT_OF_GAS })
    expect(execute(instance, { code: assemble(0n, 0n, 0x55), gas: 2307n, fork: 'istanbul' })).toMatchObject({
      end: END_SUCCESS,
    })
  })

  it('a second SLOAD is warm and makes no request', () => {
    let asked = 0
    const code = assemble(5n, 0x54, 5n, 0x54, 0x01, ...RETURN_TOP)
    const { output, gasUsed } = execute(instance, { code }, (_, exit) => {
      if (exit === EXIT_STORAGE) {
        asked++
        instance.setWord(ANSWER_WORD, 21n)
      }
    })
    expect([bytesToWord(output), asked, gasUsed]).toEqual([42n, 1, 3n + 2100n + 3n + 100n + 3n + 15n])
  })

  it('keeps thousands of slots, which are dirty unless their frame failed', () => {
    // For i from 4000 down to 1: storage[i * 2^200] = i.
    const loop = assemble(4000n, 0x5b, 0x80, 0x80, 200n, 0x1b, 0x55, 1n, 0x90, 0x03, 0x80, 3n, 0x57)
    const dirty = (): number => {
      let count = 0
      const slots = instance.u32(STATE_SLOT_TABLE)
      for (let i = 0; i < instance.u32(STATE_SLOT_COUNT); i++) {
        if ((instance.u32(slots + i * SLOT_BYTES + SLOT_FLAGS) & SLOT_IS_DIRTY) !== 0) count++
      }
      return count
    }
    expect(execute(instance, { code: loop, gas: 200_000_000n })).toMatchObject({ end: END_SUCCESS })
    expect([instance.u32(STATE_SLOT_COUNT), dirty()]).toEqual([4000, 4000])
    instance.slotKey(3999, 0x3000)
    instance.slotValue(3999, 0x3020)
    expect([instance.word(0x3000), instance.word(0x3020)]).toEqual([2n ** 200n, 1n])
    const failing = Uint8Array.from([...loop, 0xfe])
    expect(execute(instance, { code: failing, gas: 200_000_000n })).toMatchObject({ end: END_HALT })
    expect([instance.u32(STATE_SLOT_COUNT), dirty(), instance.i64(STATE_REFUND)]).toEqual([4000, 0, 0n])
  })

  it('transient slots are 0 until they are written', () => {
    expect(returned(assemble(1n, 0x5c, 9n, 1n, 0x5d, 1n, 0x5c, 0x01, 2n, 0x5c, 0x01, ...RETURN_TOP))).toBe(9n)
    expect(returned(assemble(1n, 0x5c, ...RETURN_TOP))).toBe(0n)
  })
})

describe('pauses', () => {
  it('pauses at a JUMPDEST when the budget is used up, and continues there', () => {
    // 1000 rounds: n - 1 until 0, then 7.
    const code = assemble(1000n, 0x5b, 1n, 0x90, 0x03, 0x80, 3n, 0x57, 7n, ...RETURN_TOP)
    const whole = execute(instance, { code })
    load(instance, { code, budget: 1000n })
    let pauses = 0
    for (let exit = instance.run(); exit !== EXIT_FRAME_END; exit = instance.run()) {
      expect(exit).toBe(EXIT_PAUSED)
      pauses++
      instance.setI64(STATE_BUDGET, 1000n)
    }
    expect(pauses).toBeGreaterThan(20)
    expect(finish(instance, 10_000_000n)).toEqual(whole)
  })
})
