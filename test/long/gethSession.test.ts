/**
 * Sessions with geth 1.10.26, dialled by either side, and its `devp2p` tool against this node. They are installed by
 * `../shared/peers/install.sh geth-1.10.26` into $PEERS_CACHE (default .cache/peers).
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadNodeFrameCiphers } from '../../adapters/server/crypto/frameCiphers.ts'
import { nodeTcpSockets as tcp } from '../../adapters/server/net/tcpSockets.ts'
import type { TcpListener } from '../../src/base/ports/tcpSockets.ts'
import { bytesToHexUnprefixed, hexToBytes } from '../../src/base/primitives/bytes.ts'
import { type DecodedItem, rlpDecodeList, rlpEncode } from '../../src/base/primitives/rlp.ts'
import type { AgreedCapability, OfferedCapability } from '../../src/net/p2p/rlpx/capabilities.ts'
import type { SessionHost } from '../../src/net/p2p/rlpx/sessionContract.ts'
import { needsTool } from '../support/host/needs.ts'
import { openPeer, type Peer } from '../unit/net/p2p/rlpx/peers.ts'
import { realHost, until } from '../unit/net/p2p/rlpx/realHost.ts'

const cache = process.env['PEERS_CACHE'] ?? '.cache/peers'
const bin = path.join(cache, 'geth-1.10.26/bin')
const start = path.resolve(import.meta.dirname, '../../../shared/peers/start.sh')
const port = 20_000 + Math.floor(Math.random() * 20_000)
const ETH: OfferedCapability = { name: 'eth', version: 67, length: 17 }
const SNAP: OfferedCapability = { name: 'snap', version: 1, length: 8 }
/** Codes of eth. */
const [STATUS, GET_BLOCK_BODIES, BLOCK_BODIES] = [0, 5, 6]

async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port + 1}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: unknown }
  if (error !== undefined) throw new Error(JSON.stringify(error))
  return result
}

/** Answers the Status of geth with the same one, so that geth accepts the peer. */
function echoStatus(peer: Peer): void {
  peer.onMessage = (capability, code, payload) => {
    if (capability.name === 'eth' && code === STATUS) peer.session.send(capability, STATUS, payload.slice())
  }
}

const ethOf = (peer: Peer): AgreedCapability =>
  peer.opened[0]?.capabilities.find(({ name }) => name === 'eth') as AgreedCapability

describe('geth', needsTool('geth', existsSync(path.join(bin, 'geth')) && existsSync(start)), () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'isonode-geth-'))
  let geth: ChildProcess
  let host: SessionHost
  let enode: URL

  beforeAll(async () => {
    const environment = { ...process.env, PEERS_CACHE: path.resolve(cache) }
    geth = spawn('bash', [start, 'pow-follow', directory, `${port}`], { env: environment, stdio: 'ignore' })
    host = realHost(Date.now(), await loadNodeFrameCiphers())
    const answers = async (): Promise<boolean> => {
      try {
        enode = new URL((await rpc<{ enode: string }>('admin_nodeInfo')).enode)
        return true
      } catch {
        return false
      }
    }
    await until(answers)
  }, 60_000)

  afterAll(async () => {
    geth.kill('SIGTERM')
    await new Promise((resolve) => geth.once('exit', resolve))
    rmSync(directory, { recursive: true, force: true })
  })

  const dial = async (): Promise<Peer> => {
    const connection = await tcp.connect({ host: '127.0.0.1', port })
    return openPeer(host, connection, hexToBytes(enode.username), [ETH, SNAP])
  }

  /** This node as a listener; the first connection becomes the peer. */
  const listen = async (): Promise<{ listener: TcpListener; peers: Peer[]; enode: string }> => {
    const peers: Peer[] = []
    const listener = await tcp.listen({ host: '127.0.0.1', port: 0 }, (connection) => {
      const peer = openPeer(host, connection, undefined, [ETH, SNAP])
      echoStatus(peer)
      peers.push(peer)
    })
    const id = bytesToHexUnprefixed(host.signer.publicKey)
    return { listener, peers, enode: `enode://${id}@127.0.0.1:${listener.address.port}?discport=0` }
  }

  it('opens a session that this node dials, exchanges messages and reads the reason of its end', async () => {
    const peer = await dial()
    echoStatus(peer)
    await until(() => peer.messages.length > 0)
    expect(peer.opened[0]?.hello).toMatchObject({ version: 5, clientId: expect.stringMatching(/^Geth\/v1\.10\.26/) })
    expect(peer.opened[0]?.capabilities.map(({ name, version, offset }) => [name, version, offset])).toEqual([
      ['eth', 67, 16],
      ['snap', 1, 33],
    ])
    await until(async () => (await rpc<unknown[]>('admin_peers')).length === 1)
    expect(await rpc('admin_peers')).toMatchObject([{ name: 'isonode/test', caps: ['eth/67', 'snap/1'] }])
    // Repeated hashes make compressed copies in both directions.
    const status = rlpDecodeList(peer.messages[0]?.payload as Uint8Array)
    const genesisHash = status[4] as Uint8Array
    const request = rlpEncode([Uint8Array.of(7), Array.from({ length: 200 }, () => genesisHash)])
    peer.session.send(ethOf(peer), GET_BLOCK_BODIES, request)
    const answer = (): Peer['messages'][number] | undefined => peer.messages.find(({ code }) => code === BLOCK_BODIES)
    await until(() => answer() !== undefined)
    const [id, bodies] = rlpDecodeList(answer()?.payload as Uint8Array) as [Uint8Array, DecodedItem[]]
    expect([id, bodies.length]).toEqual([Uint8Array.of(7), 200])
    peer.session.disconnect('quitting')
    await until(() => peer.ends.length > 0)
    expect(peer.ends).toEqual([{ reason: 'quitting', by: 'local' }])
    await until(async () => (await rpc<unknown[]>('admin_peers')).length === 0)
  })

  it('opens a session that geth dials, and ends it when the peer is removed', async () => {
    const { listener, peers, enode: own } = await listen()
    await rpc('admin_addPeer', own)
    await until(() => peers[0]?.messages[0] !== undefined)
    expect(peers[0]?.opened[0]?.hello.clientId).toMatch('Geth/')
    expect(bytesToHexUnprefixed(peers[0]?.session.remoteId as Uint8Array)).toBe(enode.username)
    await until(async () => (await rpc<unknown[]>('admin_peers')).length === 1)
    await rpc('admin_removePeer', own)
    await until(() => (peers[0]?.ends.length ?? 0) > 0)
    expect(peers[0]?.ends).toEqual([{ reason: 'requested', by: 'remote' }])
    await listener.close()
  })

  it('stays connected over the pings of both sides', async () => {
    const peer = await dial()
    echoStatus(peer)
    await until(async () => (await rpc<unknown[]>('admin_peers')).length === 1)
    await new Promise((resolve) => setTimeout(resolve, 40_000))
    expect(peer.ends).toEqual([])
    peer.session.disconnect('requested')
    await until(() => peer.ends.length > 0)
  })

  it('is told when nothing is shared', async () => {
    const connection = await tcp.connect({ host: '127.0.0.1', port })
    const peer = openPeer(host, connection, hexToBytes(enode.username), [{ name: 'none', version: 1, length: 1 }])
    await until(() => peer.ends.length > 0)
    expect(peer.ends[0]?.reason).toBe('uselessPeer')
  })

  it('shows the Hello of this node in its devp2p tool', async () => {
    const { listener, peers, enode: own } = await listen()
    const { stdout } = await promisify(execFile)(path.resolve(bin, 'devp2p'), ['rlpx', 'ping', own], {
      timeout: 20_000,
    })
    expect(stdout).toMatch('isonode/test')
    expect(stdout).toMatch('Version:5')
    for (const { session } of peers) session.disconnect('quitting')
    await listener.close()
  })
})
