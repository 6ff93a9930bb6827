/** A replica beside the node that publishes, as a user runs them. */
import { renameSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectRefusal, newPath } from '../support/host/commandChecks.ts'
import { eventually } from '../support/host/eventually.ts'
import { type RunningNode, runCommand, startNode } from '../support/nodes/program.ts'

const [ALICE, BOB] = ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8']

describe('a replica', () => {
  const folder = newPath()
  const from = `--mirror-from=${pathToFileURL(folder).href}`
  let writer: RunningNode
  let replica: RunningNode
  let publisher = ''

  beforeAll(async () => {
    writer = await startNode([
      `--data-path=${newPath()}`,
      `--mirror-to=${pathToFileURL(folder).href}`,
      '--mirror-interval=50',
    ])
    await eventually(() => expect(writer.output()).toContain('the mirror is published'))
    publisher = /publisher\S*?(0x[0-9a-f]{40})/i.exec(writer.output())?.[1] ?? ''
    replica = await startNode([
      from,
      `--mirror-publisher=${publisher === '' ? 'any' : publisher}`,
      '--mirror-poll=50',
      `--mirror-upstream=${writer.url}`,
      '--rpc-http-api=ETH,NET,WEB3,ISONODE,DEBUG',
      '--rpc-profile=geth',
    ])
  }, 60_000)

  afterAll(async () => {
    await replica.stop()
    await writer.stop()
  })

  const transfer = (node: RunningNode): Promise<unknown> =>
    node.rpc('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }])

  it('answers as the publisher does, and finds what it has passed on', async () => {
    const fees = { gas: '0x5208', gasPrice: '0x77359400', nonce: '0x0', value: '0x1', chainId: '0x7a69' }
    const signed = (await writer.rpc('eth_signTransaction', [{ from: ALICE, to: BOB, ...fees }])) as
      | string
      | { readonly raw: string }
    const raw = typeof signed === 'string' ? signed : signed.raw
    const hash = await replica.rpc('eth_sendRawTransaction', [raw])
    expect(await replica.rpc('eth_getTransactionByHash', [hash])).toMatchObject({ hash })
    await eventually(async () => expect(await replica.rpc('eth_blockNumber')).toBe('0x1'))
    for (const [method, params] of [
      ['eth_getBlockByNumber', ['latest', true]],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getBalance', [BOB, 'latest']],
      ['debug_traceTransaction', [hash, {}]],
    ] as const) {
      expect(await replica.rpc(method, params), method).toEqual(await writer.rpc(method, params))
    }
    expect(await replica.rpc('isonode_mirrorStatus')).toMatchObject({ blockNumber: '0x1', isStale: false })
  })

  it('serves the last state while its store is away, and goes on afterwards', async () => {
    renameSync(folder, `${folder}-away`)
    expect(await replica.rpc('eth_blockNumber')).toBe('0x1')
    expect(await replica.rpc('eth_getBalance', [ALICE, '0x0'])).toBe('0x21e19e0c9bab2400000')
    renameSync(`${folder}-away`, folder)
    await transfer(writer)
    await eventually(async () => expect(await replica.rpc('eth_blockNumber')).toBe('0x2'))
  })

  it('refuses a publisher that it was not told to trust, and a folder without a mirror', async () => {
    const stranger = `--mirror-publisher=0x${'ab'.repeat(20)}`
    expectRefusal(await runCommand([from, stranger]), 'mirror.json of the mirror is not trusted: its publisher is 0x')
    const empty = `--mirror-from=${pathToFileURL(newPath()).href}`
    expectRefusal(await runCommand([empty, stranger]), 'mirror.json of the mirror is not available')
  })
})
