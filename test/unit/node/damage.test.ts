// slow: opens a node for each damage
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAMAGE_KINDS, DamagedChain } from '../../support/nodes/damagedChain.ts'

/** `test/long` has more. */
const DAMAGES = 2 * DAMAGE_KINDS

const chain = new DamagedChain()

beforeAll(() => chain.build())
afterAll(() => chain.remove())

it('no damage to a database is answered as if it were right', async () => {
  const wrong: string[] = []
  let noticed = 0
  for (let seed = 0; seed < DAMAGES; seed++) {
    const result = await chain.tryDamage(seed)
    wrong.push(...result.wrong)
    if (result.isNoticed) noticed++
  }
  expect(wrong).toEqual([])
  expect(noticed).toBeGreaterThan(DAMAGES / 3)
})
