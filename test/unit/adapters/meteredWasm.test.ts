import { describe, expect, it } from 'vitest'
import { meterModule } from '../../../adapters/shared/meteredWasm.ts'

/** A module whose function `f(n)` counts n down in a loop. It has one global, which is the result, and imports a clock. */
const COUNTDOWN = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x0a, 0x02, 0x60, 0x01, 0x7f, 0x01, 0x7f, 0x60, 0x00, 0x01, 0x7c],
  ...[0x02, 0x07, 0x01, 0x01, 0x61, 0x01, 0x70, 0x00, 0x01],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b],
  ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x01],
  ...[0x0a, 0x19, 0x01, 0x17, 0x00, 0x03, 0x40, 0x23, 0x00, 0x41, 0x01, 0x6a, 0x24, 0x00],
  ...[0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00, 0x0d, 0x00, 0x0b, 0x23, 0x00, 0x0b],
)

/** @param clock called by the module */
function metered(clock: () => number): (n: number) => number {
  const { bytes, clock: found } = meterModule(COUNTDOWN)
  expect(found).toMatchObject({ module: 'a', name: 'p' })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { a: { p: clock } })
  return exports['f'] as (n: number) => number
}

describe('a metered module', () => {
  it('computes the same and asks for the time now and then', () => {
    let questions = 0
    const f = metered(() => ++questions)
    expect(f(10)).toBe(10)
    expect(questions).toBe(0)
    expect(f(1_000_000)).toBe(1_000_010)
    expect(questions).toBe(10)
  })

  it('ends with an exception of the clock', () => {
    const f = metered(() => {
      throw new RangeError('over')
    })
    expect(() => f(1_000_000)).toThrow(new RangeError('over'))
    expect(f(3)).toBe(100_002)
  })

  it('is refused when it has unknown instructions or imports no clock', () => {
    const unknown = COUNTDOWN.slice()
    unknown[unknown.length - 3] = 0xfd
    expect(() => meterModule(unknown)).toThrow('the WebAssembly instruction 0xfd is not known')
    const clockless = COUNTDOWN.slice()
    clockless[clockless.indexOf(0x7c)] = 0x7d
    expect(() => meterModule(clockless)).toThrow('the WebAssembly module imports no clock')
  })
})
