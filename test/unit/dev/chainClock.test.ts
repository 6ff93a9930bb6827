import { describe, expect, it } from 'vitest'
import { ChainClock } from '../../../src/dev/chainClock.ts'
import { Life, SimulatedWorld } from '../../simulation/world.ts'

const START = 1_800_000_000

function open() {
  const world = new SimulatedWorld(1)
  const clock = new ChainClock(new Life(world, 'host', START * 1000).clock)
  return { clock, pass: (seconds: number) => world.pass(seconds * 1000) }
}

describe('the clock of the dev chain', () => {
  it('follows the wall clock in whole seconds', async () => {
    const { clock, pass } = open()
    expect(clock.now).toBe(BigInt(START))
    await pass(2.9)
    expect(clock.now).toBe(BigInt(START + 2))
  })

  it('continues from where it was moved', async () => {
    const { clock, pass } = open()
    expect(clock.increase(100n)).toBe(100n)
    await pass(5)
    expect(clock.now).toBe(BigInt(START + 105))
    clock.set(1000n)
    await pass(5)
    expect(clock.now).toBe(1005n)
  })

  it('never gives a block the time of its parent or an earlier one', () => {
    const { clock } = open()
    expect(clock.after(BigInt(START - 1))).toBe(BigInt(START))
    expect(clock.after(BigInt(START))).toBe(BigInt(START + 1))
    expect(clock.after(BigInt(START + 50))).toBe(BigInt(START + 51))
  })

  it('uses a given timestamp for one block, and continues from it', async () => {
    const { clock, pass } = open()
    clock.setNextTimestamp(BigInt(START + 1000))
    const next = clock.after(BigInt(START))
    expect(next).toBe(BigInt(START + 1000))
    clock.sealed(next)
    await pass(7)
    expect(clock.after(next)).toBe(BigInt(START + 1007))
  })

  it('keeps a fixed distance between blocks, whatever the wall clock says', async () => {
    const { clock, pass } = open()
    clock.setBlockInterval(12n)
    await pass(100)
    expect(clock.after(50n)).toBe(62n)
    clock.setBlockInterval(undefined)
    expect(clock.after(50n)).toBe(BigInt(START + 100))
  })

  it('restores a saved state', () => {
    const { clock } = open()
    clock.increase(10n)
    clock.setNextTimestamp(BigInt(START + 500))
    const kept = clock.state
    clock.sealed(BigInt(START + 500))
    clock.increase(90n)
    clock.state = kept
    expect(clock.after(0n)).toBe(BigInt(START + 500))
    expect(clock.offset).toBe(10n)
  })
})
