import { describe, expect, it } from 'vitest'
import { bytesToHexUnprefixed } from '../../../src/base/primitives/bytes.ts'
import { type Enode, parseEnode } from '../../../src/net/p2p/enode.ts'
import type { ConnectionDirection, NetworkView, PeerEndpoint } from '../../../src/permissioning/contract.ts'
import { NodeRules, type NodeRulesOptions } from '../../../src/permissioning/nodeRules.ts'

const node = (digit: string, host: string): Enode => parseEnode(`enode://${digit.repeat(128)}@${host}:30303`)
const SELF = node('1', '192.0.2.1')
const PEER = node('2', '192.0.2.2')
const BOOT = node('3', '192.0.2.3')
const STATIC = node('4', '192.0.2.4')
const keyOf = ({ id }: PeerEndpoint): string => bytesToHexUnprefixed(id)

const isSame = (a: PeerEndpoint, b: PeerEndpoint): boolean => keyOf(a) === keyOf(b)

function listOf(...allowed: readonly PeerEndpoint[]): NodeRulesOptions['list'] {
  const has = (peer: Pick<PeerEndpoint, 'id' | 'host'>) => allowed.some((one) => isSame(one, peer as PeerEndpoint))
  return { allows: has, allowsHost: has }
}

/** Allows these connections only; records the questions. */
function contractOf(...allowed: readonly (readonly [PeerEndpoint, PeerEndpoint])[]) {
  const asked: string[] = []
  return {
    asked,
    allows: (source: PeerEndpoint, destination: PeerEndpoint): boolean => {
      asked.push(`${source.host} ${destination.host}`)
      return allowed.some(([from, to]) => isSame(from, source) && isSame(to, destination))
    },
  }
}

function rulesOf(options: Partial<NodeRulesOptions>, network: Partial<NetworkView> | undefined = {}): NodeRules {
  const rules = new NodeRules({ list: undefined, contract: undefined, bootnodes: [], staticNodes: [], ...options })
  rules.network = network && { self: SELF, hasSynced: true, connected: [keyOf(PEER)], ...network }
  return rules
}

const DIRECTIONS: readonly ConnectionDirection[] = ['outbound', 'inbound', 'discovery']
const verdicts = (rules: NodeRules, peer: PeerEndpoint): readonly boolean[] =>
  DIRECTIONS.map((direction) => rules.allows(peer, direction))

describe('a list alone', () => {
  it('allows its nodes and this node, in all directions', () => {
    const rules = rulesOf({ list: listOf(PEER) })
    expect([SELF, PEER, STATIC].map((peer) => verdicts(rules, peer))).toEqual([
      [true, true, true],
      [true, true, true],
      [false, false, false],
    ])
  })

  it('has no exception for boot nodes, nor for the time before the first synchronisation', () => {
    const fixed = { bootnodes: [BOOT], staticNodes: [STATIC] }
    const rules = rulesOf({ list: listOf(PEER), ...fixed }, { hasSynced: false, connected: [] })
    expect([BOOT, STATIC, PEER].map((peer) => verdicts(rules, peer))).toEqual([
      [false, false, false],
      [false, false, false],
      [true, true, true],
    ])
  })

  it('allows nothing before the network is open', () => {
    const rules = rulesOf({ list: listOf(PEER) }, undefined)
    rules.network = undefined
    expect(verdicts(rules, PEER)).toEqual([false, false, false])
  })
})

describe('a contract', () => {
  const fixed = { bootnodes: [BOOT], staticNodes: [STATIC] }

  it('is asked with the end that opens the connection first', () => {
    const contract = contractOf([SELF, PEER])
    const rules = rulesOf({ contract })
    expect(verdicts(rules, PEER)).toEqual([true, false, true])
    expect(contract.asked).toEqual(['192.0.2.1 192.0.2.2', '192.0.2.2 192.0.2.1'])
  })

  it('is not asked before the first synchronisation: only fixed nodes may be dialled', () => {
    const contract = contractOf([SELF, PEER], [PEER, SELF])
    const rules = rulesOf({ contract, ...fixed }, { hasSynced: false })
    expect([BOOT, STATIC, PEER].map((peer) => verdicts(rules, peer).slice(0, 2))).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ])
    expect(contract.asked).toEqual([])
  })

  it.each([
    ['no peer', [], [true, true]],
    ['a boot node only', [keyOf(BOOT)], [true, true]],
    ['another peer', [keyOf(BOOT), keyOf(PEER)], [false, false]],
  ])('has an exception for boot nodes while the node has %s', (_, connected, expected) => {
    const contract = contractOf()
    const rules = rulesOf({ contract, ...fixed }, { connected })
    expect(verdicts(rules, BOOT).slice(0, 2)).toEqual(expected)
    // Static nodes have none after the first synchronisation.
    expect(verdicts(rules, STATIC).slice(0, 2)).toEqual([false, false])
  })

  it('has an exception for the address of a boot node, not for its key elsewhere', () => {
    const rules = rulesOf({ contract: contractOf(), ...fixed }, { connected: [] })
    expect(verdicts(rules, { ...BOOT, host: '192.0.2.9' })).toEqual([false, false, true])
    expect(verdicts(rules, { ...BOOT, port: 1 })).toEqual([false, false, true])
    expect(verdicts(rules, { ...BOOT, id: PEER.id }).slice(0, 2)).toEqual([false, false])
    expect(verdicts(rules, { ...BOOT, host: '::ffff:192.0.2.3' })).toEqual([true, true, true])
  })

  it('allows a connection only together with the list', () => {
    const connections = [
      [SELF, PEER],
      [SELF, STATIC],
    ] as const
    const contract = contractOf(...connections)
    const rules = rulesOf({ contract, list: listOf(PEER, BOOT) })
    expect([PEER, STATIC, BOOT].map((peer) => rules.allows(peer, 'outbound'))).toEqual([true, false, false])
    expect(contract.asked).toEqual(['192.0.2.1 192.0.2.2', '192.0.2.1 192.0.2.3'])
  })

  it('leaves discovery to the list, which need not have the fixed nodes', () => {
    const contract = contractOf([SELF, PEER])
    const rules = rulesOf({ contract, list: listOf(PEER), ...fixed })
    const isFound = (peer: PeerEndpoint): boolean => rules.allows(peer, 'discovery')
    expect([PEER, BOOT, STATIC, node('5', '192.0.2.5')].map(isFound)).toEqual([true, true, true, false])
    expect(contract.asked).toEqual([])
  })

  it('allows nothing before the network is open', () => {
    const contract = contractOf([SELF, PEER], [PEER, SELF], [SELF, BOOT])
    const rules = rulesOf({ contract, ...fixed })
    rules.network = undefined
    expect([PEER, BOOT].map((peer) => verdicts(rules, peer))).toEqual([
      [false, false, false],
      [false, false, false],
    ])
  })
})

it('reports changes to its listeners until they unsubscribe', () => {
  const rules = rulesOf({ list: listOf() })
  let count = 0
  const listener = (): void => void count++
  const [first, second] = [rules.onChange(listener), rules.onChange(listener)]
  rules.changed()
  first()
  first()
  rules.changed()
  second()
  rules.changed()
  expect(count).toBe(3)
})
