// slow: networks of several nodes
/** The network of whole nodes over simulated TCP. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { HostNames } from '../../../../src/base/ports/hostNames.ts'
import { MemoryMetrics } from '../../../../src/base/ports/memoryMetrics.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import { metricsText } from '../../../../src/http/metricsText.ts'
import { replaceHostNames } from '../../../../src/net/p2p/hostNames.ts'
import { SIGNERS } from '../../../support/chains/bftHeaders.ts'
import { bftGenesis } from '../../../support/nodes/bftNode.ts'
import { GENESIS_SECONDS } from '../../../support/nodes/genesisNode.ts'
import { recordedPath } from '../../../support/recorded/conformance.ts'
import { type NetworkNode, NetworkWorld } from './networkNodes.ts'

const GENESIS = JSON.stringify({
  config: { chainId: 2130, londonBlock: 0, ethash: { fixeddifficulty: 300 } },
  difficulty: '0x12c',
  gasLimit: '0x1c9c380',
  timestamp: `0x${GENESIS_SECONDS.toString(16)}`,
  alloc: {},
})

let world: NetworkWorld

afterEach(() => world.close())

const countOf = (node: NetworkNode): Promise<string> => node.rpc('net_peerCount')

/** The names and types of a value's members. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]))
}

interface Step {
  readonly n: number
  readonly response: { readonly result: unknown }
}

describe('nodes with a network', () => {
  it('connect with admin_addPeer, and part with admin_removePeer', async () => {
    world = new NetworkWorld(GENESIS)
    const [a, b] = [await world.start(), await world.start({ identity: 'second' })]
    expect([await countOf(a), await a.rpc('net_listening')]).toEqual(['0x0', true])
    expect(await a.rpc('net_services')).toEqual({ p2p: { host: '10.0.0.1', port: '30303' } })
    const enode = await b.rpc<string>('net_enode')
    expect(enode).toMatch(/@10\.0\.0\.2:30303\?discport=0$/)
    expect(await a.rpc('admin_addPeer', enode)).toBe(true)
    expect(await a.rpc('admin_addPeer', enode)).toBe(false)
    await world.world.pass(1000)
    expect([await countOf(a), await countOf(b)]).toEqual(['0x1', '0x1'])
    const [peer] = await a.rpc<readonly object[]>('admin_peers')
    const { hash, totalDifficulty } = b.node.chain.head
    expect(peer).toMatchObject({
      version: '0x5',
      name: 'isonode/second/v0.1.0/test',
      caps: ['eth/63', 'eth/64', 'eth/65', 'eth/66', 'eth/67', 'eth/68', 'snap/1'],
      protocols: { eth: { difficulty: `0x${totalDifficulty.toString(16)}`, head: bytesToHex(hash), version: 68 } },
      enode: enode.replace('?discport=0', ''),
    })
    const [inbound] = await b.rpc<readonly { readonly enode: string }[]>('admin_peers')
    expect(inbound?.enode).toBe(await a.rpc('net_enode'))
    expect(await a.rpc('admin_removePeer', enode)).toBe(true)
    await world.world.pass(100)
    expect([await countOf(a), await countOf(b), await b.rpc('admin_peers')]).toEqual(['0x0', '0x0', []])
  })

  it('connect again after their peer has restarted, and refuse other chains', async () => {
    world = new NetworkWorld(GENESIS)
    const [a, b] = [await world.start(), await world.start()]
    await world.connect(a, b)
    expect(await countOf(a)).toBe('0x1')
    // b does not maintain a, so a has to dial again.
    await b.rpc('admin_removePeer', await a.rpc('net_enode'))
    await world.world.pass(100)
    expect(await countOf(a)).toBe('0x0')
    await world.world.pass(70_000)
    expect(await countOf(a)).toBe('0x1')
  })

  it('limit their peers and refuse banned ones', async () => {
    world = new NetworkWorld(GENESIS)
    const a = await world.start({ 'max-peers': 4, 'remote-connections-max-percentage': 50 })
    for (let i = 0; i < 3; i++) await world.connect(await world.start(), a)
    expect(await countOf(a)).toBe('0x2')
    const id = (await a.rpc<{ readonly id: string }>('admin_nodeInfo')).id
    const hostile = await world.start({ 'banned-node-ids': [id] })
    await world.connect(a, hostile)
    expect(await countOf(hostile)).toBe('0x0')
  })

  it('count dials, refusals, departures, messages and kinds of peers', async () => {
    world = new NetworkWorld(GENESIS)
    const metrics = new MemoryMetrics()
    const a = await world.start({ 'max-peers': 1 }, { metrics })
    const [b, c] = [await world.start(), await world.start()]
    await world.connect(a, b)
    await world.connect(c, a)
    const text = metricsText(metrics.series)
    expect(text).toContain('besu_peers_dials_total{outcome="connected"} 1\n')
    expect(text).toContain('besu_peers_connected_total 1\n')
    expect(text).toContain('besu_peers_connected{direction="outbound",client="isonode"} 1\n')
    expect(text).toMatch(/besu_peers_refused_total\{initiator="local",disconnectReason="UNKNOWN"\} \d/)
    const status = 'protocol="eth",name="Status",code="0"'
    expect(text).toContain(`besu_network_p2p_messages_inbound_total{${status}} 1\n`)
    expect(text).toMatch(new RegExp(`besu_network_p2p_bytes_outbound_total\\{${status}\\} [1-9]\\d`))
    await a.rpc('admin_removePeer', await b.rpc('net_enode'))
    await world.world.pass(1000)
    const later = metricsText(metrics.series)
    expect(later).toMatch(/besu_peers_disconnected_total\{initiator="local",disconnectReason="REQUESTED"\} 1/)
    expect(later).toContain('besu_peers_connected{direction="outbound",client="isonode"} 0\n')
  })

  it.each([true, false])('connect by host name; a changed address counts with updates (%s)', async (areUpdated) => {
    world = new NetworkWorld(GENESIS)
    const addresses = new Map([['b.lan', '10.0.0.9']])
    const hostNames: HostNames = {
      areUpdated,
      staticNodes: [],
      resolve: async (url) =>
        replaceHostNames(url, (name) => {
          const address = addresses.get(name)
          if (address === undefined)
            throw new NodeError({ code: 'UNKNOWN_HOST' }, `the host name '${name}' has no address`)
          return address
        }),
    }
    const [a, b] = [await world.start({}, { hostNames }), await world.start()]
    const enode = await b.rpc<string>('net_enode')
    const named = enode.replace('10.0.0.2', 'b.lan')
    const unknown = enode.replace('10.0.0.2', 'c.lan')
    await expect(a.rpc('admin_addPeer', unknown)).rejects.toThrow('Parse error')
    expect([await a.rpc('admin_addPeer', named), await a.rpc('admin_addPeer', named)]).toEqual([true, false])
    await world.world.pass(70_000)
    expect(await countOf(a)).toBe('0x0')
    addresses.set('b.lan', '10.0.0.2')
    await world.world.pass(130_000)
    expect(await countOf(a)).toBe(areUpdated ? '0x1' : '0x0')
    expect(await a.rpc('admin_removePeer', named)).toBe(areUpdated)
    await world.world.pass(1000)
    expect(await countOf(a)).toBe('0x0')
    // Without --Xdns-enabled, names are invalid.
    await expect(b.rpc('admin_addPeer', named)).rejects.toThrow('Parse error')
  })

  it('report readiness by their peers', async () => {
    world = new NetworkWorld(GENESIS)
    const [a, b] = [await world.start(), await world.start()]
    const statusOf = async ({ node }: NetworkNode, query = '') => {
      const response = node.fetch(new Request(`http://localhost/readiness${query}`))
      return (await world.complete(Promise.resolve(response))).status
    }
    expect([await statusOf(a), await statusOf(a, '?minPeers=0')]).toEqual([503, 200])
    await world.connect(a, b)
    expect(await statusOf(a)).toBe(200)
  })

  it('answer in the recorded shapes', async () => {
    world = new NetworkWorld(GENESIS)
    const [a, b] = [await world.start(), await world.start({ identity: 'second' })]
    await world.connect(a, b)
    const file = recordedPath('besu/peers-live', 'transcript.json')
    const { steps } = JSON.parse(readFileSync(file, 'utf8')) as { readonly steps: readonly Step[] }
    const recorded = (n: number): unknown => shapeOf(steps.find((step) => step.n === n)?.response.result)
    expect(shapeOf(await a.rpc('admin_peers'))).toEqual(recorded(60))
    expect(shapeOf(await b.rpc('admin_peers'))).toEqual(recorded(61))
    expect(shapeOf(await b.rpc('admin_nodeInfo'))).toEqual(recorded(13))
    expect(await a.rpc('eth_protocolVersion')).toBe('0x44')
  })

  it.each([
    ['ibft2', 'IBF/1'],
    ['qbft', 'istanbul/100'],
  ])('carry the messages of validators (%s)', async (kind, capability) => {
    world = new NetworkWorld(bftGenesis({ [kind]: { blockperiodseconds: 1, requesttimeoutseconds: 4 } }, 4))
    const validators: NetworkNode[] = []
    for (const signer of SIGNERS.slice(0, 4)) {
      const validator = await world.start({}, { signer })
      await world.connect(validator, ...validators)
      validators.push(validator)
    }
    await world.world.pass(20_000)
    const [first] = validators as [NetworkNode]
    const [peer] = await first.rpc<readonly { readonly caps: readonly string[] }[]>('admin_peers')
    expect(peer?.caps).toContain(capability)
    const heights = validators.map(({ node }) => node.chain.head.header.number)
    expect(heights.every((height) => height >= 10n)).toBe(true)
    const hashes = validators.map(({ node }) => bytesToHex(node.chain.canonicalHash(10) ?? new Uint8Array()))
    expect(new Set(hashes).size).toBe(1)
  })
})
