import process from 'node:process'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocketConnections } from '../../../adapters/server/http/webSocketConnections.ts'
import { serveWebSocket } from '../../../adapters/server/http/webSocketServer.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { RpcSession, type RpcSessionOptions } from '../../../src/http/rpcSession.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { cpuTimeMs } from '../../support/host/cpuTime.ts'
import { notOnBun } from '../../support/host/needs.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import { testMethods, testService } from '../../support/rpc/rpcService.ts'
import { expectedItems, ITEM_LENGTH, newLog, streamingMethods } from '../../support/rpc/streamingService.ts'
import { RawWebSocket, until, WebSocketClient } from '../../support/rpc/webSocketClient.ts'

const ENDLESS = 200_000
const COUNT = 2000
/** Bun sends each message as a whole. */
const isBun = process.versions.bun !== undefined

const request = (id: number, method: string, ...params: unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

const servers: HttpServer[] = []
const clients: WebSocketClient[] = []
const raws: RawWebSocket[] = []

async function open(session: Partial<RpcSessionOptions> = {}) {
  const log = newLog()
  const { envelope, policy } = testService({
    transport: 'websocket',
    methods: [...testMethods, ...streamingMethods(log)],
    maxBatchResponseLength: 4000 * ITEM_LENGTH,
  })
  const sessions: RpcSession[] = []
  const webSockets = new WebSocketConnections({
    policy,
    open: (port, authorization) => {
      const clock = { monotonic: () => performance.now(), now: Date.now }
      const opened = new RpcSession(
        { envelope, logger: silentLogger, clock, timers: testTimers, ...session },
        port,
        authorization,
      )
      sessions.push(opened)
      return opened
    },
  })
  const server = await serveWebSocket({ host: '127.0.0.1', port: 0, webSockets })
  servers.push(server)
  const connect = (): WebSocketClient => {
    const client = new WebSocketClient(server.port)
    clients.push(client)
    return client
  }
  const connectRaw = (): Promise<RawWebSocket> => {
    const raw = new RawWebSocket(server.port)
    raws.push(raw)
    return raw.opened()
  }
  return { log, sessions, connect, connectRaw }
}

/** First bytes of all complete frames that a server sent. */
function frameHeads(received: string): number[] {
  const bytes = Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1')
  const heads: number[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes[at + 1] as number
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0
    if (at + 2 + extra > bytes.length) break
    const length =
      extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    if (at + 2 + extra + length > bytes.length) break
    heads.push(bytes[at] as number)
    at += 2 + extra + length
  }
  return heads
}

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate()
  for (const { socket } of raws.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) await server.close()
})

describe('streamed results over a WebSocket', () => {
  it('are one message each, without other frames in between', async () => {
    const { sessions, connect } = await open()
    const client = await connect().send(request(1, 'eth_stream', COUNT), request(2, 'eth_stream', COUNT))
    await until(() => sessions.length > 0)
    await client.send(request(3, 'eth_chainId'))
    sessions[0]?.send('{"id":4}')
    const messages = (await client.received(4)).map((text) => JSON.parse(text))
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4])
    for (const { id, result } of messages) if (id < 3) expect(result).toEqual(expectedItems(COUNT))
  })

  it('are sent in fragments, and everything else follows the last one', notOnBun, async () => {
    const { connectRaw, sessions, log } = await open()
    const raw = await connectRaw()
    raw.send(request(1, 'eth_stream', COUNT))
    await until(() => raw.received.length > 200_000)
    raw.send(request(2, 'eth_chainId'))
    sessions[0]?.send('{"params":1}')
    await until(() => raw.received.includes('"params":1') && raw.received.includes('"id":2,"result"'))
    const heads = frameHeads(raw.received)
    expect(heads[0]).toBe(0x01)
    expect(heads.slice(1, -3).every((head) => head === 0x00)).toBe(true)
    expect(heads.slice(-3)).toEqual([0x80, 0x81, 0x81])
    expect(log.ended).toEqual(['done'])
  })

  it('are errors while nothing has been sent', async () => {
    const { connect } = await open()
    const client = await connect().send(request(1, 'eth_stream', 10, 'COINBASE_NOT_SPECIFIED'))
    expect(JSON.parse((await client.received(1))[0] ?? '')).toMatchObject({ error: { code: -32000 } })
  })

  it('end the connection when they fail later', notOnBun, async () => {
    const { connect } = await open()
    const client = await connect().send(request(1, 'eth_stream', 500, 'COINBASE_NOT_SPECIFIED'))
    expect(await client.closed()).toBe(1006)
    expect(client.messages).toEqual([])
  })

  it('end within 100 ms when the peer disconnects', async () => {
    const { connectRaw, log } = await open()
    const raw = await connectRaw()
    raw.send(request(1, 'eth_stream', isBun ? 3000 : ENDLESS))
    await until(() => log.items > 100)
    const from = cpuTimeMs()
    raw.socket.destroy()
    await until(() => log.ended.length > 0)
    expect(log.ended).toEqual(['aborted'])
    expect(log.endedAt - from).toBeLessThan(100)
  })

  it('wait for a peer that does not read, and disconnect it after a while', notOnBun, async () => {
    const { connectRaw, log } = await open({ stallMs: 200 })
    const raw = await connectRaw()
    raw.socket.pause()
    raw.send(request(1, 'eth_stream', ENDLESS))
    await until(() => log.ended.length > 0)
    expect(log.ended).toEqual(['aborted'])
    expect(log.items).toBeLessThan(40_000)
    raw.socket.resume()
    await until(() => raw.isClosed)
  })

  it('end a connection with too much pending data', notOnBun, async () => {
    const { connectRaw, sessions } = await open({ maxBacklogBytes: 100_000, stallMs: 5000 })
    const raw = await connectRaw()
    raw.socket.pause()
    raw.send(request(1, 'eth_stream', ENDLESS))
    await until(() => sessions.length > 0)
    const text = 'x'.repeat(50_000)
    let isClosed = false
    sessions[0]?.onClose(() => {
      isClosed = true
    })
    await until(() => {
      sessions[0]?.send(text)
      return isClosed
    })
    expect(isClosed).toBe(true)
  })
})
