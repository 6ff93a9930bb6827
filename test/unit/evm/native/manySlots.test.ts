import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../../src/base/ports/host.ts'
import { hexToBytes, uintBytes } from '../../../../src/base/primitives/bytes.ts'
import { runMessage } from '../../../../src/evm/driver.ts'
import { ExecutionScheduler } from '../../../../src/evm/scheduler.ts'
import { EMPTY_STATE_ROOT } from '../../../../src/state/emptyRoot.ts'
import { StateStore } from '../../../../src/state/stateStore.ts'
import { WorldState } from '../../../../src/state/worldState.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { CONTRACT, environmentOf, messageTo } from '../../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'

const SLOTS = 8000
/** Stores i in slot i, from SLOTS down to 1. */
const WRITER = hexToBytes(`0x61${SLOTS.toString(16)}5b808055600190038060035700`)
/** Far more than a slice of 8 looks at the clock passes to the state. */
const MOST_IN_A_SLICE = 3000

/** Each look at the clock takes a millisecond. */
function tickingClock(): Clock {
  let now = 0
  return { now: () => now, monotonic: () => now++ }
}

/** Runs the writer. @returns how many slots the state got in each slice */
async function slotsBySlice(isBlock: boolean): Promise<readonly number[]> {
  const clock = tickingClock()
  const evm = await loadTestNativeEvm(clock)
  const state = new StateStore(new MemoryStore()).mutable(EMPTY_STATE_ROOT)
  state.setCode(CONTRACT, WRITER)
  state.beginTransaction()
  const counts = [0]
  state.setStorage = (...written) => {
    counts.push((counts.pop() as number) + 1)
    WorldState.prototype.setStorage.apply(state, written)
  }
  const yieldToHost = async (): Promise<void> => void counts.push(0)
  const scheduler = new ExecutionScheduler({ clock, yieldToHost })
  const message = messageTo(CONTRACT, { gas: 2n ** 40n })
  expect(await runMessage(evm, message, environmentOf(), state, { scheduler, isBlock })).toMatchObject({
    outcome: 'success',
  })
  for (const slot of [1, 2, SLOTS - 1, SLOTS])
    expect(state.getStorage(CONTRACT, uintBytes(slot, 32))).toEqual(uintBytes(slot, 32))
  return counts
}

describe('a message that writes many slots', () => {
  it('pauses while the state takes them, when it is part of a block', async () => {
    const counts = await slotsBySlice(true)
    expect(Math.max(...counts)).toBeLessThan(MOST_IN_A_SLICE)
    expect(counts.reduce((sum, count) => sum + count)).toBe(SLOTS)
  })

  it('can begin again until its end, when it is a call', async () => {
    const counts = await slotsBySlice(false)
    expect(counts.filter((count) => count > 0)).toEqual([SLOTS])
  })
})
