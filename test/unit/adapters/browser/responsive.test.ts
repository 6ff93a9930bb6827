/** A page that asks again as soon as it is answered. */
import { expect, it } from 'vitest'
import { createBrowserNode } from '../../../../adapters/browser/index.ts'

/** Far more than are answered until other work has its turn. */
const MOST = 500_000

it('lets the page do other work', async () => {
  const node = await createBrowserNode({ storage: 'memory' })
  let hasWorked = false
  setTimeout(() => {
    hasWorked = true
  })
  let asked = 0
  for (; asked < MOST && !hasWorked; asked++) await node.request('eth_chainId')
  expect(asked).toBeLessThan(MOST)
  await node.close()
})

it('answers in the order of the requests', async () => {
  const node = await createBrowserNode({ storage: 'memory' })
  const answered: number[] = []
  const ask = async (number: number): Promise<void> => {
    await node.request('eth_chainId')
    answered.push(number)
  }
  const asked = Array.from({ length: 1000 }, (_, number) => number)
  const [first, second] = [asked.slice(0, 500), asked.slice(500)]
  await Promise.all([
    Promise.all(first.map(ask)),
    new Promise((resolve) => setTimeout(resolve)).then(() => Promise.all(second.map(ask))),
  ])
  expect(answered).toEqual(asked)
  await node.close()
})
