import { describe, expect, it } from 'vitest'
import { IntervalTimer } from '../../../src/sealing/intervalTimer.ts'
import { Life, SimulatedWorld } from '../../simulation/world.ts'

function open(work: (life: Life) => Promise<void> = async () => {}) {
  const world = new SimulatedWorld(1)
  const life = new Life(world, 'host', 0)
  const calls: number[] = []
  const timer = new IntervalTimer(life.clock, life.timers, () => {
    calls.push(world.now)
    return work(life)
  })
  return { world, timer, calls }
}

const wait = (life: Life, ms: number): Promise<void> => new Promise((resolve) => life.timers.schedule(ms, resolve))

describe('an interval timer', () => {
  it('calls at multiples of the interval from its start', async () => {
    const { world, timer, calls } = open()
    await world.pass(30)
    timer.start(100)
    await world.pass(350)
    expect(calls).toEqual([130, 230, 330])
  })

  it('skips calls during a long one and keeps to the multiples', async () => {
    const { world, timer, calls } = open((life) => wait(life, 250))
    timer.start(100)
    await world.pass(1050)
    expect(calls).toEqual([100, 400, 700, 1000])
  })

  it('does not call after being stopped, even during a call', async () => {
    const { world, timer, calls } = open((life) => wait(life, 50))
    timer.start(100)
    await world.pass(120)
    timer.stop()
    await world.pass(1000)
    expect(calls).toEqual([100])
  })

  it('restarts with only the new interval', async () => {
    const { world, timer, calls } = open()
    timer.start(100)
    await world.pass(150)
    timer.start(1000)
    await world.pass(2100)
    expect(calls).toEqual([100, 1150, 2150])
  })
})
