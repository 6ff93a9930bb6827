import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../../../adapters/server/crypto/crypto.ts'
import { nodeTcpSockets } from '../../../../../adapters/server/net/tcpSockets.ts'
import { nodeUdpSockets } from '../../../../../adapters/server/net/udpSockets.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import type { Enode } from '../../../../../src/net/p2p/enode.ts'
import { PeerNetwork } from '../../../../../src/net/p2p/peers/peerNetwork.ts'
import { DEFAULT_PEER_LIMITS } from '../../../../../src/net/p2p/peers/policy.ts'
import { storedValue } from '../../../../../src/net/p2p/peers/storedValue.ts'
import { MemoryStore } from '../../../../../src/storage/memoryStore.ts'
import { realHost, until } from '../rlpx/realHost.ts'
import { TestProtocol } from './simulatedPeers.ts'

const HOST = '127.0.0.1'
const networks: PeerNetwork[] = []

async function start(seed: number, bootnodes?: readonly Enode[], port = 0): Promise<PeerNetwork> {
  const network = await PeerNetwork.start({
    host: realHost(seed),
    sockets: nodeTcpSockets,
    log: silentLogger,
    listen: { host: HOST, port },
    advertisedHost: HOST,
    clientId: 'test',
    protocols: new TestProtocol(),
    limits: DEFAULT_PEER_LIMITS,
    bannedIds: [],
    ...(bootnodes === undefined
      ? { discovery: undefined }
      : {
          discovery: {
            sockets: nodeUdpSockets,
            bootnodes,
            recordStore: storedValue(new MemoryStore(), 'nodeRecord', () => {}),
            keptStore: storedValue(new MemoryStore(), 'keptNodes', () => {}),
            forkId: () => ({ hash: new Uint8Array(4), next: 0n }),
            acceptsForkId: () => true,
          },
        }),
  })
  networks.push(network)
  return network
}

beforeAll(async () => {
  await installNodeCrypto()
})

afterEach(async () => {
  await Promise.all(networks.splice(0).map((network) => network.stop()))
})

describe('networks over sockets', () => {
  it('connect to a maintained peer and leave it in an orderly way', async () => {
    const [a, b] = [await start(1), await start(2)]
    a.maintain(b.enode)
    await until(() => a.peers.length + b.peers.length === 2)
    expect(b.peers[0]?.remoteAddress.host).toBe(HOST)
    await a.stop()
    await until(() => b.peers.length === 0)
  })

  it('find each other by discovery on the port of their connections', async () => {
    const boot = await start(3, [])
    expect(boot.enode.discoveryPort).toBe(boot.enode.port)
    const others = [await start(4, [boot.enode]), await start(5, [boot.enode])]
    await until(() => [boot, ...others].every(({ peers }) => peers.length === 2))
  })

  it('free their ports: a node restarts on the same one', async () => {
    const first = await start(6, [])
    const { port } = first.enode
    await expect(start(7, [], port)).rejects.toMatchObject({ code: 'LISTEN_FAILED' })
    await first.stop()
    expect((await start(6, [], port)).enode.port).toBe(port)
  })

  it('keep no socket of 300 connections that send nothing', async () => {
    const hub = await start(8)
    let closed = 0
    const connect = async () => {
      const connection = await nodeTcpSockets.connect(hub.address)
      connection.open({ onData: () => {}, onEnd: () => connection.end(), onClose: () => void closed++ })
    }
    await Promise.all(Array.from({ length: 300 }, connect))
    const peer = await start(9)
    hub.maintain(peer.enode)
    await until(() => hub.peers.length === 1)
    await until(() => closed >= 300 - 32)
    await hub.stop()
    await until(() => closed === 300)
  })
})
