import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { LiveWorker } from './support/liveWorker.ts'

describe('WebSockets of the Worker', () => {
  let worker: LiveWorker
  beforeAll(async () => {
    worker = await LiveWorker.open()
  })
  afterAll(() => worker.close())

  it('tells each subscriber of each head once and in order', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => worker.connect()))
    for (const socket of sockets) {
      expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ result: expect.stringMatching(/^0x/) })
    }
    const [first] = sockets
    expect(await first?.ask('eth_blockNumber', [])).toMatchObject({ result: '0x0' })
    for (let value = 1; value <= 3; value++) await worker.block(value)
    await eventually(() => {
      for (const { heads } of sockets) expect(heads).toEqual(['0x1', '0x2', '0x3'])
    })
    for (const socket of sockets) socket.close()
  })

  it('ends a subscription, and refuses what it does not have', async () => {
    const socket = await worker.connect()
    const { result } = (await socket.ask('eth_subscribe', ['newHeads'])) as { result: string }
    expect(await socket.ask('eth_unsubscribe', [result])).toMatchObject({ result: true })
    expect(await socket.ask('eth_unsubscribe', [result])).toMatchObject({
      error: { message: 'subscription not found' },
    })
    expect(await socket.ask('eth_subscribe', ['newPendingTransactions'])).toMatchObject({
      error: { message: 'no "newPendingTransactions" subscription in eth namespace' },
    })
    expect(await socket.ask('eth_subscribe', ['logs', { topics: 1 }])).toMatchObject({ error: { code: -32602 } })
    await worker.block(9)
    expect(socket.heads).toEqual([])
    socket.close()
  })

  it('refuses pages that are not allowed', async () => {
    const headers = { Upgrade: 'websocket', Origin: 'https://stranger.example' }
    const { status } = await worker.fetch('/', { headers })
    expect(status).toBe(403)
  })
})
