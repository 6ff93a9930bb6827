import { afterAll, beforeAll, expect, it } from 'vitest'
import { DamagedChain } from '../support/nodes/damagedChain.ts'
import { longCount } from './count.ts'

const DAMAGES = 400

const chain = new DamagedChain()

beforeAll(() => chain.build())
afterAll(() => chain.remove())

it('no damage to a database is answered as if it were right', async () => {
  const count = Math.min(DAMAGES, longCount)
  const wrong: string[] = []
  let noticed = 0
  for (let seed = 1000; seed < 1000 + count; seed++) {
    const result = await chain.tryDamage(seed)
    wrong.push(...result.wrong)
    if (result.isNoticed) noticed++
  }
  expect(wrong).toEqual([])
  expect(noticed).toBeGreaterThan(count / 3)
}, 600_000)
