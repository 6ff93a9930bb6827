import { describe, expect, it } from 'vitest'
import { LOOP_COUNTER, meterLoops } from '../../../adapters/shared/meteredWasm.ts'

/** A module whose function `f(n)` counts n down in a loop. It has one global, which is the result. */
const COUNTDOWN = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b],
  ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
  ...[0x0a, 0x19, 0x01, 0x17, 0x00, 0x03, 0x40, 0x23, 0x00, 0x41, 0x01, 0x6a, 0x24, 0x00],
  ...[0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00, 0x0d, 0x00, 0x0b, 0x23, 0x00, 0x0b],
)

function metered(bytes: Uint8Array): { f: (n: number) => number; counter: WebAssembly.Global } {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(meterLoops(bytes)))
  return {
    f: exports['f'] as (n: number) => number,
    counter: exports[LOOP_COUNTER] as WebAssembly.Global,
  }
}

describe('a metered module', () => {
  it('computes the same and counts its loops', () => {
    const { f, counter } = metered(COUNTDOWN)
    counter.value = 1000
    expect(f(10)).toBe(10)
    expect(counter.value).toBe(990)
  })

  it('traps at zero', () => {
    const { f, counter } = metered(COUNTDOWN)
    counter.value = 5
    expect(() => f(10)).toThrow(WebAssembly.RuntimeError)
    expect(counter.value).toBe(0)
    counter.value = 100
    expect(f(3)).toBe(7)
  })

  it('a module with unknown instructions is refused', () => {
    const unknown = COUNTDOWN.slice()
    unknown[unknown.length - 3] = 0xfd
    expect(() => meterLoops(unknown)).toThrow('the WebAssembly instruction 0xfd is not known')
  })
})
