import { describe, expect, it } from 'vitest'
import { nodeTcpSockets as tcp } from '../../../../../adapters/server/net/tcpSockets.ts'
import { MAX_SOCKET_BACKLOG_BYTES } from '../../../../../src/base/limits/limits.ts'
import type { TcpConnection, TcpListener } from '../../../../../src/base/ports/tcpSockets.ts'
import type { NodeError } from '../../../../../src/base/primitives/errors.ts'

const LOOPBACK = { host: '127.0.0.1', port: 0 }

interface Peer {
  readonly connection: TcpConnection
  readonly received: number[]
  /** Total number of bytes received. */
  readonly length: () => number
  readonly events: string[]
  readonly closed: Promise<NodeError | undefined>
}

function open(connection: TcpConnection, onEnd?: (connection: TcpConnection) => void): Peer {
  const received: number[] = []
  let length = 0
  const events: string[] = []
  const closed = new Promise<NodeError | undefined>((resolve) => {
    connection.open({
      onData: (bytes) => {
        length += bytes.length
        received.push(...bytes.subarray(0, 8))
      },
      onDrain: () => void events.push('drain'),
      onEnd: () => {
        events.push('end')
        onEnd?.(connection)
      },
      onClose: (error) => {
        events.push('close')
        resolve(error)
      },
    })
  })
  return { connection, received, length: () => length, events, closed }
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; !holds(); i++) {
    if (i > 2000) throw new Error('it never came to that')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Both ends of a connection, not yet opened. */
async function pair(): Promise<{ client: TcpConnection; server: TcpConnection; listener: TcpListener }> {
  let accepted: ((connection: TcpConnection) => void) | undefined
  const server = new Promise<TcpConnection>((resolve) => {
    accepted = resolve
  })
  const listener = await tcp.listen(LOOPBACK, (connection) => accepted?.(connection))
  const client = await tcp.connect(listener.address)
  return { client, server: await server, listener }
}

describe('TCP sockets', () => {
  it('carry bytes both ways and end in an orderly way', async () => {
    const { client, server, listener } = await pair()
    expect(client.remoteAddress).toEqual(listener.address)
    expect(server.remoteAddress.port).toBe(client.localAddress.port)
    client.write(Uint8Array.of(1, 2, 3))
    const there = open(server, (connection) => {
      connection.write(Uint8Array.of(9))
      connection.end()
    })
    const here = open(client)
    client.write(Uint8Array.of(4))
    client.end()
    expect(await here.closed).toBeUndefined()
    expect(await there.closed).toBeUndefined()
    expect(there.received).toEqual([1, 2, 3, 4])
    expect(here.received).toEqual([9])
    expect(here.events).toEqual(['end', 'close'])
    expect(client.write(Uint8Array.of(5))).toBe(false)
    await listener.close()
  })

  it('hold the writer back while the peer is paused, and report when it may continue', async () => {
    const { client, server, listener } = await pair()
    const there = open(server)
    server.pause()
    const here = open(client)
    const chunk = new Uint8Array(1 << 20)
    const taken = Array.from({ length: 16 }, () => client.write(chunk))
    expect(taken.at(-1)).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(client.backlog).toBeGreaterThan(0)
    expect(here.events).toEqual([])
    server.resume()
    await until(() => here.events.includes('drain'))
    await until(() => there.length() === 16 * chunk.length)
    expect(client.backlog).toBe(0)
    client.destroy()
    server.destroy()
    await Promise.all([here.closed, there.closed])
    await listener.close()
  })

  it('destroy a connection with too many unsent bytes', async () => {
    const { client, server, listener } = await pair()
    open(server)
    server.pause()
    const here = open(client)
    const chunk = new Uint8Array(1 << 20)
    for (let i = 0; i <= MAX_SOCKET_BACKLOG_BYTES / chunk.length + 16; i++) client.write(chunk)
    expect(await here.closed).toMatchObject({ code: 'CONNECTION_FAILED' })
    server.destroy()
    await listener.close()
  })

  it('report when the peer resets the connection', async () => {
    const { client, server, listener } = await pair()
    const there = open(server, (connection) => connection.end())
    open(client)
    client.destroy()
    await there.closed
    expect(there.events.at(-1)).toBe('close')
    await listener.close()
  })

  it('report unreachable hosts, occupied ports and timeouts', async () => {
    const listener = await tcp.listen(LOOPBACK, (connection) => connection.destroy())
    await expect(tcp.listen(listener.address, () => {})).rejects.toMatchObject({ code: 'LISTEN_FAILED' })
    const aborted = AbortSignal.abort()
    await expect(tcp.connect(listener.address, { signal: aborted })).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
    })
    await listener.close()
    await expect(tcp.connect(listener.address)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' })
  })
})
