/** admin_*, net_*, debug_metrics and plugins_* of a node without connections, as recorded. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { AdjustableThreshold, createLogger } from '../../../adapters/shared/logging.ts'
import type { ConnectedPeer, PeerControl } from '../../../src/api/peers.ts'
import type { BloomFiles } from '../../../src/base/ports/bloomFiles.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { enodeText, parseEnode } from '../../../src/net/p2p/enode.ts'
import { MaintainedPeers } from '../../../src/node/network/maintainedPeers.ts'
import { createNode, type IsoNode, type NodeHost } from '../../../src/node/node.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { invoke } from '../../../src/rpc/invoke.ts'
import type { MethodDefinition } from '../../../src/rpc/method.ts'
import { peers } from '../../../src/rpc/methods/admin/peers.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../../support/chains/testChain.ts'
import { testRandom, testTimers } from '../../support/host/testPorts.ts'
import { testYield } from '../../support/host/testYield.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { recordedCases, runCase, type Send } from '../../support/recorded/recordedCases.ts'
import { replyText } from '../../support/rpc/replyText.ts'

interface Opened {
  readonly node: IsoNode
  readonly send: Send
  call(method: string, ...params: readonly unknown[]): Promise<Record<string, unknown>>
}

const opened: IsoNode[] = []
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
})

const OWN_ID =
  '7f6d2e217bb4987817dc355a579c8413d272299ca8af897ca984063a2ea5bb4103fcd17d69abb1feca421d14bf1573efa7bac1553fea25506712f78b3d5dd3b3'
const signer = {
  publicKey: Uint8Array.from(Buffer.from(OWN_ID, 'hex')),
  address: new Uint8Array(20),
} as unknown as Signer

const noFiles: BloomFiles = {
  segments: async () => [],
  length: async () => 0,
  write: async () => {},
  truncate: async () => {},
  remove: async () => {},
}

const GENESIS = JSON.stringify({
  config: { chainId: 2130, londonBlock: 0, ethash: { fixeddifficulty: 300 } },
  nonce: '0x42',
  timestamp: '0x65000000',
  gasLimit: '0x1c9c380',
  difficulty: '0x12c',
  baseFeePerGas: '0x3b9aca00',
  alloc: {},
})

async function open(
  options: Partial<NodeOptions> = {},
  host: Partial<NodeHost> = {},
  text: string = GENESIS,
): Promise<Opened> {
  const networkId = options['network-id']
  const genesis = parseGenesisFile(text, networkId === undefined ? {} : { networkId })
  const node = await createNode(
    {
      store: new MemoryStore(),
      clock: TEST_CLOCK,
      logger: silentLogger,
      senders: TEST_SENDERS,
      timers: testTimers,
      random: testRandom,
      yieldToHost: testYield,
      platform: 'test',
      signer,
      bloomFiles: noFiles,
      logLevels: new AdjustableThreshold('OFF'),
      ...host,
    },
    { genesis, text },
    settingsOf(
      {
        ...defaultOptions(false),
        'rpc-http-api': ['ETH', 'NET', 'WEB3', 'DEBUG', 'TXPOOL', 'ADMIN', 'MINER', 'PLUGINS'],
        'p2p-port': 25_601,
        'discovery-enabled': false,
        ...options,
      },
      false,
    ),
  )
  opened.push(node)
  const send: Send = async (body) => {
    const reply = await node.endpoints.get('http').exchange.handle({ body })
    return { status: reply.status, body: await replyText(reply) }
  }
  const call = async (method: string, ...params: readonly unknown[]) => {
    const { body } = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(body)
    return error === undefined ? result : { error }
  }
  return { node, send, call }
}

interface TranscriptStep {
  readonly n: number
  readonly node: string
  readonly request: { readonly method: string; readonly params: readonly unknown[] }
  readonly status: number
  readonly response: Record<string, unknown>
  readonly note?: string
}

const METHODS = /^(admin_|net_|plugins_)/

/** Steps whose answers depend on connected peers, a race or a rule of the specification. */
const OTHER: Readonly<Record<string, (step: TranscriptStep) => boolean>> = {
  'connected peers': ({ request: { method }, response }) =>
    (method === 'admin_peers' && (response['result'] as unknown[]).length > 0) ||
    (method === 'net_peerCount' && response['result'] === '0x1'),
  'the network is not part of this node yet': ({ request: { method } }) => method === 'net_listening',
  'addresses of that run': ({ request: { method } }) =>
    ['net_enode', 'admin_nodeInfo', 'net_services'].includes(method),
  'a run of the bloom cache ends at once on an empty chain': ({ request: { method }, response }) =>
    (response['result'] as Record<string, unknown>)?.['Status'] === 'Already running' ||
    method === 'admin_generateLogBloomCache',
  'the specification lets an empty text skip the parameter': ({ request: { params, method } }) =>
    method === 'admin_logsRemoveCache' && params[0] === '',
}

function stepsOf(file: string, node: string): TranscriptStep[] {
  const { steps } = JSON.parse(readFileSync(file, 'utf8')) as { steps: TranscriptStep[] }
  return steps
    .filter((step) => step.node === node && METHODS.test(step.request?.method ?? ''))
    .filter((step) => !Object.values(OTHER).some((isOther) => isOther(step)))
}

const folder = recordedPath('besu/peers-live')

describe('recorded conversations with admin_*', () => {
  it.each([
    ['transcript.json', 'x', {}],
    ['transcript-p2p-off.json', 'p2p-off', { 'p2p-enabled': false }],
    ['transcript-p2p-off.json', 'discovery-on', { 'discovery-enabled': true }],
  ] as const)('%s, node %s', async (name, node, options) => {
    const { send } = await open(options)
    const steps = stepsOf(path.join(folder as string, name), node)
    expect(steps.length).toBeGreaterThan(3)
    const differences: unknown[] = []
    for (const { n, request, status, response } of steps) {
      const answer = await send(JSON.stringify(request))
      const got = JSON.parse(answer.body)
      const same = JSON.stringify([answer.status, got.result, got.error?.code, got.error?.message])
      const { result, error } = response as { result?: unknown; error?: { code: number; message: string } }
      const expected = JSON.stringify([status, result, error?.code, error?.message])
      if (same !== expected) differences.push({ n, request: JSON.stringify(request), same, expected })
    }
    expect(differences).toEqual([])
  })
})

const frontier = recordedPath('besu/frontier')

describe('recorded cases of the groups admin and idle', () => {
  const cases = recordedCases(path.join(frontier, 'cases'), (it) => it === 'admin' || it === 'idle')
  it.each(cases.map((entry) => [path.basename(entry.file), entry] as const))('%s', async (_name, entry) => {
    const text = readFileSync(path.join(frontier, 'genesis.json'), 'utf8')
    const { send } = await open({ 'network-id': 123n, 'discovery-enabled': true }, {}, text)
    expect(await runCase(entry, send)).toBeUndefined()
  })
})

describe('admin_nodeInfo', () => {
  it('shows the options of the genesis in order, and integers of any size', async () => {
    const genesis = JSON.parse(GENESIS)
    genesis.config = {
      ethash: {},
      ecip1017EraRounds: '5000000',
      constantinopleFixBlock: 4,
      chainId: 2130,
      homesteadBlock: 0,
      eip155Block: 0,
      terminalTotalDifficulty: 7,
      isQuorum: false,
    }
    genesis.difficulty = '0xffffffffffffffffffff'
    const { send } = await open({}, {}, JSON.stringify(genesis))
    const { body } = await send('{"jsonrpc":"2.0","id":1,"method":"admin_nodeInfo"}')
    expect(body).toContain(
      '"config":{"chainId":2130,"homesteadBlock":0,"petersburgBlock":4,"ecip1017EraRounds":5000000,"ethash":{}},' +
        '"difficulty":1208925819614629174706175,',
    )
    expect(JSON.parse(body).result).toMatchObject({
      enode: `enode://${OWN_ID}@127.0.0.1:25601?discport=0`,
      listenAddr: '127.0.0.1:25601',
      ip: '127.0.0.1',
      id: OWN_ID,
      ports: { listener: 25_601 },
      protocols: { eth: { network: 2130 } },
    })
  })

  it('needs the network', async () => {
    const off = await open({ 'p2p-enabled': false })
    expect(await off.call('admin_nodeInfo')).toMatchObject({
      error: { code: -32000, message: 'P2P has been disabled. This functionality is not available' },
    })
    const keyless = await open({}, { signer: undefined as unknown as Signer })
    expect(await keyless.call('admin_nodeInfo')).toMatchObject({
      error: { code: -32000, message: 'P2P network is not running' },
    })
  })
})

describe('admin_changeLogLevel', () => {
  it('changes the level of the whole log, or of categories and their parts', async () => {
    const lines: string[] = []
    const logLevels = new AdjustableThreshold('WARN')
    const logger = createLogger(logLevels, ({ category, level }) => lines.push(`${category} ${level}`))
    const { call } = await open({}, { logLevels, logger })
    const log = (): string[] => {
      lines.length = 0
      for (const each of [logger, logger.child('rpc'), logger.child('rpc').child('batch'), logger.child('rpcs')]) {
        each.debug('x')
        each.warn('x')
      }
      return [...lines]
    }
    expect(await call('admin_changeLogLevel', 'DEBUG', ['rpc', 'unknown'])).toBe('Success')
    expect(log()).toEqual(['isonode warn', 'rpc debug', 'rpc warn', 'rpc.batch debug', 'rpc.batch warn', 'rpcs warn'])
    expect(await call('admin_changeLogLevel', 'OFF', ['rpc.batch'])).toBe('Success')
    expect(log()).toEqual(['isonode warn', 'rpc debug', 'rpc warn', 'rpcs warn'])
    expect(await call('admin_changeLogLevel', 'OFF')).toBe('Success')
    expect(log()).toEqual([])
    expect(await call('admin_changeLogLevel', 'VERBOSE')).toMatchObject({ error: { code: -32602 } })
    expect(await call('admin_changeLogLevel', 'INFO', 'rpc')).toMatchObject({ error: { code: -32602 } })
    const many = Array.from({ length: 300 }, (_, i) => `c${i}`)
    expect(await call('admin_changeLogLevel', 'INFO', many)).toMatchObject({ error: { code: -32005 } })
  })

  it('is refused where the program that runs the node has its own log', async () => {
    const { call } = await open({}, { logLevels: undefined })
    expect(await call('admin_changeLogLevel', 'INFO')).toMatchObject({ error: { code: -32604 } })
  })
})

it('admin_addPeer has a bound', async () => {
  const { call } = await open()
  const url = (port: number): string => `enode://${'ab'.repeat(64)}@10.0.0.1:${port}`
  for (let port = 1; port <= 1024; port++) expect(await call('admin_addPeer', url(port))).toBe(true)
  expect(await call('admin_addPeer', url(1))).toBe(false)
  expect(await call('admin_addPeer', url(2000))).toMatchObject({ error: { code: -32005 } })
  expect(await call('admin_removePeer', url(1))).toBe(true)
  expect(await call('admin_addPeer', url(2000))).toBe(true)
})

describe('connected peers', () => {
  const recorded = {
    version: '0x5',
    name: 'besu/second/v23.1.0/linux-x86_64/openjdk-java-17',
    caps: ['eth/67', 'eth/68', 'snap/1'],
    network: { localAddress: '127.0.0.1:41626', remoteAddress: '127.0.0.1:25611' },
    port: '0x640b',
    id: `0x${OWN_ID}`,
    protocols: { eth: { difficulty: '0x12c', head: `0x${'56'.repeat(32)}`, version: 68 } },
    enode: `enode://${OWN_ID}@127.0.0.1:25611`,
  }
  const peer: ConnectedPeer = {
    version: 5,
    name: recorded.name,
    capabilities: recorded.caps,
    ...recorded.network,
    port: 25_611,
    enode: parseEnode(recorded.enode),
    ethVersion: 68,
    totalDifficulty: 300n,
    headHash: new Uint8Array(32).fill(0x56),
  }

  it('have the recorded form', async () => {
    const control = new MaintainedPeers(undefined, {
      peers: [peer],
      maintain: () => {},
      move: () => {},
      release: () => {},
    })
    const context = new RpcRequestContext({ groups: new Set(['ADMIN']) })
    const definition = peers as MethodDefinition<{ peers: PeerControl }>
    expect(invoke(definition, { peers: control }, [], context)).toEqual([recorded])
  })

  it('are maintained and disconnected as the list says', () => {
    const calls: string[] = []
    const control = new MaintainedPeers(
      { publicKey: new Uint8Array(64) },
      {
        peers: [],
        maintain: (each) => calls.push(`maintain ${each.port}`),
        move: () => {},
        release: (each) => calls.push(`release ${each.port}`),
      },
    )
    expect(control.add(peer.enode)).toBe(true)
    expect(control.add(peer.enode)).toBe(false)
    expect(control.remove(peer.enode)).toBe(true)
    // Not in the list, but connected: disconnected all the same.
    expect(control.remove(peer.enode)).toBe(false)
    expect(control.add({ ...peer.enode, id: new Uint8Array(64) })).toBe(false)
    expect(calls).toEqual(['maintain 25611', 'release 25611', 'release 25611'])
  })
})

describe('enode URLs', () => {
  const id = 'Ab'.repeat(64)
  it.each([
    [`enode://${id}@10.0.0.1:30303`, `enode://${id.toLowerCase()}@10.0.0.1:30303`],
    [`ENODE://${id}@[2001:DB8::0:1]:1?discport=1`, `enode://${id.toLowerCase()}@[2001:db8::1]:1`],
    [`enode://${id}@255.255.255.255:65535?discport=0`, `enode://${id.toLowerCase()}@255.255.255.255:65535?discport=0`],
  ])('%s', (text, canonical) => {
    expect(enodeText(parseEnode(text))).toBe(canonical)
  })

  it.each([
    '',
    `enode://${id}@10.0.0.256:30303`,
    `enode://${id}@10.0.0:30303`,
    `enode://${id}@[::g]:30303`,
    `enode://${id}@::1:30303`,
    `enode://${id}@10.0.0.1:65536`,
    `enode://${id}@10.0.0.1:30303?discport=65536`,
    `enode://${id}@10.0.0.1:30303#x`,
    `enode://${id}@host.example:30303`,
    `enode://@10.0.0.1:30303`,
    `enode://${id}@10.0.0.1:30303?${'x'.repeat(1e6)}`,
  ])('is malformed: %.200s', (text) => {
    expect(() => parseEnode(text)).toThrow(expect.objectContaining({ code: 'INVALID_ENODE_URL' }))
  })
})
