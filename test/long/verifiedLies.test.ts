/** A remote that changes one thing in one of its answers, for each proven method. ISONODE_LONG_COUNT is the number of lies. */
import { expect, it } from 'vitest'
import { checkLies, openLyingRemote } from '../support/remote/lyingRemote.ts'
import { longCount } from './count.ts'

const count = Number.isFinite(longCount) ? longCount : 10_000

it(
  'is believed in nothing',
  async () => {
    const remote = await openLyingRemote()
    const { believed, unnamed, refused, ignored } = await checkLies(remote, { seed: 7, count })
    await remote.close()
    console.log(`${refused} lies refused, ${ignored} about what nobody reads`)
    expect(believed).toEqual([])
    expect(unnamed).toEqual([])
    expect(refused).toBeGreaterThan(count / 2)
  },
  24 * 3_600_000,
)
