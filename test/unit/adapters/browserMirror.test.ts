import { afterEach, expect, it } from 'vitest'
import { createBrowserNode } from '../../../adapters/browser/index.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { type MirroredNode, openMirroredNode } from '../../support/mirror/mirroredNode.ts'
import { ObjectServer } from '../../support/mirror/objectServer.ts'
import { TEST_MIRROR_PUBLISHER } from '../../support/mirror/testPublisher.ts'

const TO = `0x${'12'.repeat(20)}`
const publisher = bytesToHex(TEST_MIRROR_PUBLISHER)

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function files(writer: MirroredNode): Promise<string> {
  const server = await ObjectServer.start()
  closing.push(() => server.stop())
  for (const [name, bytes] of writer.objects.objects) server.objects.set(name, bytes)
  return server.origin
}

it('a page reads, calls and traces a chain from the files of a web server', async () => {
  const writer = await openMirroredNode(0)
  const [from] = await writer.rpc<string[]>('eth_accounts')
  await writer.rpc('eth_sendTransaction', { from, to: TO, value: '0x3' })
  await writer.publish()
  await writer.publisher.merge()
  const node = await createBrowserNode({ mirror: await files(writer), publisher })
  closing.push(
    () => node.close(),
    () => writer.node.close(),
  )
  expect(await node.request('eth_getBalance', [TO, 'latest'])).toBe('0x3')
  expect(await node.request('eth_call', [{ to: TO }, 'latest'])).toBe('0x')
  const block = await writer.rpc('eth_getBlockByNumber', 'latest', true)
  expect(await node.request('eth_getBlockByNumber', ['latest', true])).toEqual(block)
  expect(await node.request('debug_traceBlockByNumber', ['latest'])).toHaveLength(1)
  await expect(node.request('eth_sendRawTransaction', ['0x01'])).rejects.toThrow('read-only')
  await expect(node.import([])).rejects.toMatchObject({ code: 'READ_ONLY_NODE' })
})

it('a page names options that do not fit a mirror, and what is wrong with it', async () => {
  const mirror = 'http://127.0.0.1:1/'
  await expect(createBrowserNode({ mirror, publisher, chainId: 5 })).rejects.toThrow(
    "'chainId' cannot be combined with 'mirror'",
  )
  await expect(createBrowserNode({ mirror })).rejects.toThrow("'publisher' must be the address")
  await expect(createBrowserNode({ mirror: 'ftp://x', publisher })).rejects.toThrow('not a URL of http: or https:')
  const writer = await openMirroredNode()
  closing.push(() => writer.node.close())
  const url = await files(writer)
  await expect(createBrowserNode({ mirror: url, publisher: `0x${'ab'.repeat(20)}` })).rejects.toMatchObject({
    code: 'MIRROR_UNSIGNED',
  })
})
