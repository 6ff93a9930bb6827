// slow: many connections
import { afterEach, describe, expect, it } from 'vitest'
import { nodeTcpSockets as tcp } from '../../../../../adapters/server/net/tcpSockets.ts'
import type { TcpConnection } from '../../../../../src/base/ports/tcpSockets.ts'
import { equalBytes } from '../../../../../src/base/primitives/bytes.ts'
import type { AgreedCapability } from '../../../../../src/net/p2p/rlpx/capabilities.ts'
import { portableCiphers } from '../../../../../src/net/p2p/rlpx/portableCiphers.ts'
import { SeededRandom } from '../../../../simulation/seededRandom.ts'
import { openPeer, type Peer } from './peers.ts'
import { realHost, until } from './realHost.ts'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const run of cleanUp.splice(0)) run()
})

/** Two sessions over a real connection; one uses the ciphers of Node, the other portable ones. */
async function openPair(): Promise<readonly [Peer, Peer]> {
  const [a, b] = [realHost(1), realHost(2, portableCiphers)]
  let accept: (connection: TcpConnection) => void = () => {}
  const accepted = new Promise<TcpConnection>((resolve) => {
    accept = resolve
  })
  const listener = await tcp.listen({ host: '127.0.0.1', port: 0 }, (connection) => accept(connection))
  const near = await tcp.connect(listener.address)
  const far = await accepted
  cleanUp.push(() => {
    near.destroy()
    far.destroy()
    void listener.close()
  })
  const peers = [openPeer(a, near, b.signer.publicKey), openPeer(b, far)] as const
  await until(() => peers.every(({ session }) => session.isOpen))
  return peers
}

const agreed = (peer: Peer): AgreedCapability => peer.opened[0]?.capabilities[0] as AgreedCapability

describe('sessions over sockets', () => {
  it('exchange messages of all sizes, and a Disconnect after them', async () => {
    const [a, b] = await openPair()
    const random = new SeededRandom(1)
    const payloads = [0, 1, 500, 70_000, 1_500_000].map((length) => random.bytes(length))
    for (const payload of payloads) {
      a.session.send(agreed(a), 4, payload)
      b.session.send(agreed(b), 5, payload)
    }
    a.session.disconnect('quitting')
    await until(() => a.ends.length + b.ends.length === 2)
    expect([a.ends, b.ends]).toEqual([[{ reason: 'quitting', by: 'local' }], [{ reason: 'quitting', by: 'remote' }]])
    expect(b.messages.map(({ code, payload }, i) => [code, equalBytes(payload, payloads[i] as Uint8Array)])).toEqual(
      payloads.map(() => [4, true]),
    )
  })

  it('hold the sender back while the reader pauses', async () => {
    const [a, b] = await openPair()
    b.session.pause()
    const payload = new SeededRandom(2).bytes(400_000)
    let sent = 1
    // Until the buffers of both sockets are full.
    for (let idle = 0; idle < 20 && sent < 45; ) {
      if (a.session.send(agreed(a), 1, payload)) idle = 0
      else idle++
      sent++
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(a.session.backlog).toBeGreaterThan(0)
    expect(b.messages.length).toBe(0)
    b.session.resume()
    await until(() => b.messages.length === sent - 1)
    await until(() => a.drains > 0)
    expect([a.session.backlog, a.ends, b.ends]).toEqual([0, [], []])
  })

  it('notice that the process of the peer is gone', async () => {
    const [a, b] = await openPair()
    cleanUp[0]?.()
    await until(() => a.ends.length + b.ends.length === 2)
    expect([...a.ends, ...b.ends].every(({ by }) => by === 'connection')).toBe(true)
  })
})
