import { describe, expect, it } from 'vitest'
import { nodeUdpSockets as udp } from '../../../../../adapters/server/net/udpSockets.ts'
import type { SocketAddress } from '../../../../../src/base/ports/tcpSockets.ts'
import { eventually } from '../../../../support/host/eventually.ts'

const LOOPBACK = { host: '127.0.0.1', port: 0 }

describe('UDP sockets', () => {
  it('send datagrams, and answer to their sender', async () => {
    let answered: ((bytes: Uint8Array) => void) | undefined
    const answer = new Promise<Uint8Array>((resolve) => {
      answered = resolve
    })
    const client = await udp.bind(LOOPBACK, (bytes) => answered?.(bytes))
    const senders: SocketAddress[] = []
    const server = await udp.bind(LOOPBACK, (bytes, from) => {
      senders.push(from)
      server.send(
        bytes.map((byte) => byte + 1),
        from,
      )
    })
    client.send(Uint8Array.of(1, 2), server.address)
    expect([...(await answer)]).toEqual([2, 3])
    expect(senders).toEqual([client.address])
    await client.close()
    await server.close()
  })

  it('drop datagrams that cannot be sent, or are sent after closing', async () => {
    const received: number[] = []
    const receiver = await udp.bind(LOOPBACK, ([first = -1]) => received.push(first))
    const [socket, other] = [await udp.bind(LOOPBACK, () => {}), await udp.bind(LOOPBACK, () => {})]
    socket.send(new Uint8Array(70_000), receiver.address)
    socket.send(Uint8Array.of(1), receiver.address)
    await eventually(() => expect(received).toEqual([1]))
    await socket.close()
    await socket.close()
    socket.send(Uint8Array.of(2), receiver.address)
    other.send(Uint8Array.of(3), receiver.address)
    await eventually(() => expect(received).toEqual([1, 3]))
    await Promise.all([receiver.close(), other.close()])
  })

  it('refuse an address in use', async () => {
    const socket = await udp.bind(LOOPBACK, () => {})
    await expect(udp.bind(socket.address, () => {})).rejects.toMatchObject({ code: 'LISTEN_FAILED' })
    await socket.close()
  })
})
