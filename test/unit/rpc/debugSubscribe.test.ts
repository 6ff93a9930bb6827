/** Traces of a range of blocks as notifications (go-ethereum's TraceChain). */
import { describe, expect, it } from 'vitest'
import { MAX_NOTIFYING_WORK } from '../../../src/base/limits/limits.ts'
import { eventually } from '../../support/host/eventually.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const openDevNode = closedAfterEach()

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const CALL_TRACER = { tracer: 'callTracer' }
/** JUMPDEST PUSH1 0 JUMP */
const ENDLESS_CODE = '0x5b600056'
const ENDLESS = '0x00000000000000000000000000000000000000bb'

interface Notification {
  readonly method?: string
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly params?: { readonly subscription: string; readonly result: Block }
}

interface Block {
  readonly block: string
  readonly hash: string
  readonly traces?: readonly { readonly txHash: string; readonly result: { readonly from: string } }[]
  readonly error?: string
}

/** A WebSocket connection whose peer may stop reading. */
function connect({ node }: OpenedNode) {
  const received: Notification[] = []
  const peer = { unread: 0 }
  const session = node.endpoints.get('webSocket').open(
    {
      send: (text) => received.push(JSON.parse(text)),
      bufferedAmount: () => peer.unread,
      pause: () => {},
      resume: () => {},
      close: () => {},
      terminate: () => {},
    },
    undefined,
  )
  let lastId = 0
  const call = async (method: string, ...params: unknown[]): Promise<Notification> => {
    const id = ++lastId
    session.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return eventually(() => {
      const answer = received.find((message) => message.id === id)
      expect(answer).toBeDefined()
      return answer as Notification
    })
  }
  const blocks = (): Block[] => received.flatMap(({ params }) => params?.result ?? [])
  return { call, received, blocks, peer, session }
}

/** Blocks 1 and 3 have a transaction, 2, 4 and 5 are empty. */
async function fiveBlocks(node: OpenedNode): Promise<string[]> {
  const { rpc } = node
  const send = () => rpc<string>('eth_sendTransaction', { from: FROM, to: FROM })
  const first = await send()
  await rpc('evm_mine')
  const hashes = [first, await send()]
  await rpc('anvil_mine', 2)
  return hashes
}

describe('debug_subscribe', () => {
  it('traces the blocks with transactions after the start, and the last one', async () => {
    const node = await openDevNode()
    const hashes = await fiveBlocks(node)
    const { call, received, blocks } = connect(node)
    const { result: id } = await call('debug_subscribe', 'traceChain', '0x0', '0x5', CALL_TRACER)
    await eventually(() => expect(blocks()).toHaveLength(3))
    expect(received[0]).toMatchObject({ result: id })
    expect(received[1]).toMatchObject({ method: 'debug_subscription', params: { subscription: id } })
    expect(blocks().map(({ block }) => block)).toEqual(['0x1', '0x3', '0x5'])
    expect(blocks()[0]).toMatchObject({ traces: [{ txHash: hashes[0], result: { from: FROM } }] })
    expect(blocks()[1]).toMatchObject({ traces: [{ txHash: hashes[1], result: { from: FROM } }] })
    expect(blocks()[2]).toMatchObject({ traces: [] })
    const last = await node.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(blocks()[2]?.hash).toBe(last.hash)
    expect(await call('debug_unsubscribe', id)).toMatchObject({ result: true })
    expect(await call('debug_unsubscribe', id)).toMatchObject({
      error: { message: expect.stringMatching(/not found/i) },
    })
  })

  it('notifies programs that run the node', async () => {
    const node = await openDevNode()
    await fiveBlocks(node)
    const provider = node.node.openProvider()
    const seen: unknown[] = []
    provider.on('message', (message: unknown) => seen.push(message))
    const subscription = await provider.request('debug_subscribe', ['traceChain', 'earliest', 'latest', CALL_TRACER])
    await eventually(() => expect(seen).toHaveLength(3))
    expect(seen[0]).toMatchObject({ type: 'debug_subscription', data: { subscription, result: { block: '0x1' } } })
    provider.close()
  })

  it('waits for a peer that does not read', async () => {
    const node = await openDevNode()
    await fiveBlocks(node)
    const { call, blocks, peer } = connect(node)
    await call('debug_subscribe', 'traceChain', '0x0', '0x1', CALL_TRACER)
    await eventually(() => expect(blocks()).toHaveLength(1))
    await call('debug_subscribe', 'traceChain', '0x0', '0x5', CALL_TRACER)
    peer.unread = 2 ** 21
    await eventually(() => expect(blocks()).toHaveLength(2))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(blocks()).toHaveLength(2)
    peer.unread = 0
    await eventually(() => expect(blocks()).toHaveLength(4))
  })

  it('is cancelled with the subscription and with the connection, and bounded', async () => {
    const node = await openDevNode()
    await node.rpc('anvil_setCode', ENDLESS, ENDLESS_CODE)
    await node.rpc('eth_sendTransaction', { from: FROM, to: ENDLESS, gas: '0xe00000' })
    const { call, blocks, session } = connect(node)
    const start = () => call('debug_subscribe', 'traceChain', '0x0', '0x1', {})
    const ids: unknown[] = []
    for (let i = 0; i < MAX_NOTIFYING_WORK; i++) ids.push((await start()).result)
    expect(await start()).toMatchObject({ error: { message: expect.stringMatching(/too many/i) } })
    expect(await call('debug_unsubscribe', ids[0])).toMatchObject({ result: true })
    await eventually(async () => expect((await start()).result).toBeDefined())
    session.closed()
    const { call: again } = connect(node)
    await eventually(async () => {
      expect((await again('debug_subscribe', 'traceChain', '0x0', '0x1', CALL_TRACER)).result).toBeDefined()
    })
    expect(blocks()).toEqual([])
  })

  it('reports the block that cannot be traced, and ends', async () => {
    const node = await openDevNode()
    await node.rpc('anvil_setCode', ENDLESS, ENDLESS_CODE)
    await node.rpc('eth_sendTransaction', { from: FROM, to: ENDLESS, gas: '0xe00000' })
    await node.rpc('eth_sendTransaction', { from: FROM, to: FROM })
    const { call, blocks } = connect(node)
    await call('debug_subscribe', 'traceChain', '0x0', '0x2', { timeout: '1ms' })
    await eventually(() => expect(blocks()).toHaveLength(1))
    expect(blocks()[0]).toMatchObject({ block: '0x1', error: expect.stringMatching(/timeout/i) })
  })

  it('refuses bad parameters and HTTP in one line', async () => {
    const node = await openDevNode()
    await fiveBlocks(node)
    const { call } = connect(node)
    const cases: [unknown[], RegExp][] = [
      [['traceChain', '0x3', '0x3'], /end block \(#3\) needs to come after start block \(#3\)/],
      [['traceChain', '0x0', '0x9'], /end block not found/],
      [['traceBlocks', '0x0', '0x1'], /subscription/],
      [['traceChain', '0x0'], /end|missing|param/i],
      [['traceChain', '0x0', '0x1', { tracer: 'noSuchTracer' }], /tracer/i],
    ]
    for (const [params, message] of cases) {
      expect((await call('debug_subscribe', ...params)).error?.message).toMatch(message)
    }
    await expect(node.rpc('debug_subscribe', 'traceChain', '0x0', '0x1')).rejects.toThrow(/not supported|not enabled/i)
  })
})
