import { expect, test } from 'vitest'
import { openMirroredNode } from '../../../support/mirror/mirroredNode.ts'

const RECIPIENT = `0x${'77'.repeat(20)}`

test('a request reads the store a limited number of times, whatever others read', async () => {
  const writer = await openMirroredNode(0, 1024)
  const [from] = await writer.rpc<string[]>('eth_accounts')
  for (let i = 0; i < 3; i++) {
    await writer.rpc('eth_sendTransaction', { from, to: RECIPIENT, value: '0x5' })
    await writer.publish()
  }
  await writer.publisher.merge()
  const call = [{ from, to: RECIPIENT, value: '0x1' }, 'latest'] as const
  const open = (readsPerRequest: number) => writer.openReplica({ readsPerRequest })

  const narrow = await open(1)
  await expect(narrow.rpc('eth_call', ...call)).rejects.toMatchObject({
    code: -32005,
    message: "the request needs more than 1 reads of the mirror's store",
  })
  const wide = await open(20)
  const { reads } = wide.mirror.status
  expect(await wide.rpc('eth_call', ...call)).toBe('0x')
  expect(wide.mirror.status.reads - reads).toBeGreaterThan(1)
  const blocks = ['0x1', '0x2', '0x3']
  const answers = await Promise.all(
    blocks.flatMap((block) => [
      wide.rpc('eth_getBlockByNumber', block, true),
      wide.rpc('eth_getBlockReceipts', block),
      wide.rpc('debug_traceBlockByNumber', block),
    ]),
  )
  expect(answers.every(Boolean)).toBe(true)

  for (const each of [narrow, wide]) await each.close()
  await writer.node.close()
})
