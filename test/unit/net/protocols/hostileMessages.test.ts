// slow: messages of 16 MiB
/** Each message of each protocol in hostile variants: what it costs is limited. */
import { describe, expect, it } from 'vitest'
import { HostileNode } from './hostileNode.ts'
import { excessive, measureAll, type Target, tableOf } from './hostileTable.ts'

async function check(targets: readonly Target[]): Promise<void> {
  const rows = await measureAll(targets)
  console.log(tableOf(rows))
  expect(excessive(rows)).toEqual([])
}

describe('hostile messages', () => {
  it('of eth', async () => {
    const node = await HostileNode.open()
    await check(await node.ethTargets())
  }, 600_000)

  it('of snap', async () => {
    const node = await HostileNode.open()
    await check(node.snapTargets())
  }, 600_000)
})
