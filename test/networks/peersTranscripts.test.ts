/** Replays the recorded requests to connected nodes: each asked node is a process, connected on loopback. */
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { needsData } from '../support/host/needsData.ts'
import { type RunningNode, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { recordedPath } from '../support/recorded/conformance.ts'
import {
  comparable,
  conversationOf,
  type Reply,
  type RunValues,
  requestIn,
  type Step,
} from '../support/recorded/peersLive.ts'
import { MAINNET_1000, needsChain } from '../support/recorded/recordedChains.ts'

const FOLDER = recordedPath('besu/peers-live')
const GENESIS = `--genesis-file=${path.join(FOLDER, 'genesis.json')}`
const GROUPS = '--rpc-http-api=ETH,NET,WEB3,ADMIN,DEBUG,TXPOOL,PERM,PLUGINS,MINER,TRACE,CLIQUE,IBFT,QBFT'
/** Requests that are sent once; the effects of others may take a moment to reach the asked node. */
const CHANGES = /^(?:admin_(?!peers)|eth_send|eth_getFilterChanges)/
const SETTLE_MS = 20_000
/** Time for 999 blocks, whose seals are checked, on a machine that runs other programs. */
const SYNC_MS = 90_000

/** The recorded answers that this node gives otherwise, and why. */
const OTHERWISE: Readonly<Record<string, (step: Step) => boolean>> = {
  'the recorded node fails when a pooled transaction has no price per gas; this node compares the others': (step) =>
    'gasPrice' in conditionsOf(step),
  'the recorded node fails on an address that is none; this node refuses the parameter': (step) =>
    (conditionsOf(step)['from'] as { eq?: string } | undefined)?.eq === 'foo',
  'which transactions a limit leaves is unspecified': ({ request, response: { result } }) =>
    request?.method === 'txpool_besuPendingTransactions' &&
    Array.isArray(result) &&
    result.length === request.params[0],
  'the recording abbreviates the answer': ({ response: { result } }) => result === '(as without)',
  'the specification has a member `indexing`, and a run over an empty chain ends immediately': ({ request }) =>
    request?.method === 'admin_generateLogBloomCache',
  'a run over an empty chain has ended by then': ({ response: { result } }) =>
    (result as { readonly Status?: string } | undefined)?.Status === 'Already running',
  'the specification lets an empty text skip the parameter': ({ request }) =>
    request?.method === 'admin_logsRemoveCache' && request.params[0] === '',
}

function conditionsOf({ request }: Step): Readonly<Record<string, unknown>> {
  const isPool = request?.method === 'txpool_besuPendingTransactions'
  return (isPool && (request.params[1] as Readonly<Record<string, unknown>> | undefined)) || {}
}

interface NodeInfo {
  readonly id: string
  readonly enode: string
  readonly ports: { readonly listener: number }
}

type Nodes = Readonly<Record<string, RunningNode>>

const start = (...options: readonly string[]): Promise<RunningNode> =>
  startNode([GENESIS, GROUPS, `--data-path=${temporaryDirectory()}`, ...options])

const infoOf = (node: RunningNode): Promise<NodeInfo> => node.rpc<NodeInfo>('admin_nodeInfo')
const portOf = (node: RunningNode): number => Number(new URL(node.url).port)

async function send(node: RunningNode, request: unknown): Promise<Reply & { readonly status: number }> {
  const response = await fetch(node.url, { method: 'POST', body: JSON.stringify(request) })
  const { result, error } = (await response.json()) as Reply
  return { status: response.status, result, error }
}

async function connect(from: RunningNode, to: RunningNode): Promise<void> {
  expect(await from.rpc('admin_addPeer', [(await infoOf(to)).enode])).toBe(true)
  for (const node of [from, to]) await eventually(async () => expect(await node.rpc('net_peerCount')).toBe('0x1'))
}

async function stopAll(nodes: Nodes): Promise<void> {
  for (const node of Object.values(nodes)) {
    expect((await node.stop()).code).toBe(0)
    expect(node.output()).not.toMatch(/ERROR/)
  }
}

class Replay {
  readonly #nodes: Nodes
  readonly #recorded: RunValues
  readonly #run: RunValues
  /** Filter ids of the recording, with those of this run. */
  readonly #filters = new Map<unknown, unknown>()
  answered = 0

  constructor(nodes: Nodes, recorded: RunValues, run: RunValues) {
    this.#nodes = nodes
    this.#recorded = recorded
    this.#run = run
  }

  async step(step: Step): Promise<void> {
    const { n, node, note = '', request, status, response } = step
    if (request === undefined || Object.values(OTHERWISE).some((applies) => applies(step))) return
    const params = request.params.map((value) => this.#filters.get(value) ?? value)
    const sent = requestIn(this.#run, this.#recorded, { ...request, params })
    const asked = this.#nodes[node] as RunningNode
    if (request.method === 'eth_newPendingTransactionFilter') {
      this.#filters.set(response.result, (await send(asked, sent)).result)
      return
    }
    const expected = comparable({ status, result: response.result, error: response.error }, this.#recorded)
    const deadline = Date.now() + (CHANGES.test(request.method) ? 0 : SETTLE_MS)
    for (;;) {
      const actual = comparable(await send(asked, sent), this.#run)
      if (isDeepStrictEqual(actual, expected)) break
      if (Date.now() > deadline) expect(actual, `step ${n}: ${request.method} ${note}`).toEqual(expected)
      await delay(20)
    }
    this.answered++
  }
}

interface Status {
  readonly currentBlock: string
}

/** Members in order, and values that do not change on the way. */
const statusForm = (status: object): string => JSON.stringify({ ...status, currentBlock: '' })

function recordedForm({ request, response: { result } }: Step): readonly string[] {
  return request?.method === 'eth_syncing' && typeof result === 'object' && result !== null ? [statusForm(result)] : []
}

/** The one peer, without its head: when it announces blocks differs. */
function peerForm(peers: unknown): unknown {
  const [peer] = peers as readonly [{ id: string; port: string; protocols: { eth: object } }]
  const { id, port, protocols } = peer
  const eth = { ...protocols.eth, head: '', difficulty: '' }
  return comparable({ ...peer, protocols: { eth } }, { ids: [id.slice(2)], ports: { peer: Number(port) } })
}

describe('recorded requests to connected nodes', { timeout: 120_000 }, () => {
  it('about peers, the log, the caches and the pool', async () => {
    const [x, y] = await Promise.all([
      start('--min-gas-price=0', '--tx-pool-max-size=40'),
      start('--min-gas-price=0', '--identity=second'),
    ])
    const [ofX, ofY] = [await infoOf(x), await infoOf(y)]
    const { ids, steps } = conversationOf('transcript.json')
    const recorded = { ids, ports: { x: 25_601, y: 25_611, rpc: 25_600 } }
    const ports = { x: ofX.ports.listener, y: ofY.ports.listener, rpc: portOf(x) }
    const replay = new Replay({ x, y }, recorded, { ids: [ofX.id, ofY.id], ports })
    for (const step of steps) {
      if (step.note === 'after removing and adding again where it was gone') {
        const enode = ofY.enode.replace('?discport=0', '')
        expect([await x.rpc('admin_removePeer', [enode]), await x.rpc('admin_addPeer', [enode])]).toEqual([true, true])
      }
      await replay.step(step)
    }
    expect(replay.answered).toBeGreaterThan(100)
    await stopAll({ x, y })
  })

  it('about local and remote transactions', needsData('besu/peers-live/transcript-pool.json'), async () => {
    const [x, y] = await Promise.all([
      start('--min-gas-price=1000', '--metrics-enabled', '--metrics-port=0'),
      start(
        '--min-gas-price=1000',
        '--strict-tx-replay-protection-enabled',
        '--tx-pool-limit-by-account-percentage=1',
        '--tx-pool-price-bump=50',
        // The recorded node compares its cap of 10^14 with the price per gas; the specification, with the fee.
        '--rpc-tx-feecap=1000000000000000',
      ),
    ])
    await connect(x, y)
    const values = { ids: [], ports: {} }
    const replay = new Replay({ x, y }, values, values)
    for (const step of conversationOf('transcript-pool.json').steps) await replay.step(step)
    expect(replay.answered).toBeGreaterThan(40)
    await stopAll({ x, y })
  })

  it('about nodes without a network, and with discovery', async () => {
    const off = await start('--p2p-enabled=false')
    const on = await start(
      '--p2p-interface=127.0.0.1',
      '--p2p-port=0',
      '--rpc-ws-enabled',
      '--rpc-ws-port=0',
      '--metrics-enabled',
      '--metrics-port=0',
    )
    const { id, ports } = await infoOf(on)
    const { ws, metrics } = await on.rpc<Record<string, { readonly port: string }>>('net_services')
    const { steps } = conversationOf('transcript-p2p-off.json')
    const recordedId = /[0-9a-f]{128}(?=@127\.0\.0\.1:25631)/.exec(JSON.stringify(steps))?.[0] as string
    const recorded = { off: 25_620, rpc: 25_630, p2p: 25_631, ws: 25_633, metrics: 25_634 }
    const own = { off: portOf(off), rpc: portOf(on), p2p: ports.listener, ws: Number(ws?.port) }
    const replay = new Replay(
      { 'p2p-off': off, 'discovery-on': on },
      { ids: [recordedId], ports: recorded },
      { ids: [id], ports: { ...own, metrics: Number(metrics?.port) } },
    )
    for (const step of steps) await replay.step(step)
    expect(replay.answered).toBe(steps.length)
    await stopAll({ off, on })
  })

  it('about the progress of synchronisation', needsChain(MAINNET_1000), async () => {
    const chain = [`--genesis-file=${recordedPath('besu/mainnet-1000', 'genesis.json')}`, '--network-id=7771']
    const source = `--data-path=${temporaryDirectory()}`
    const file = `--from=${recordedPath('besu/mainnet-1000', 'blocks.bin')}`
    const { code, stderr } = await runCommand([...chain, source, 'blocks', 'import', file, '--end-block=1000'])
    expect(code, stderr).toBe(0)
    const [src, sync] = await Promise.all([
      startNode([...chain, GROUPS, source]),
      startNode([...chain, GROUPS, `--data-path=${temporaryDirectory()}`]),
    ])
    const { steps } = conversationOf('transcript-syncing.json')
    const recorded = (node: string, method: string): unknown =>
      steps.findLast((step) => step.node === node && step.request?.method === method)?.response.result
    expect(await Promise.all([src, sync].map((node) => node.rpc('eth_syncing')))).toEqual([false, false])
    expect(await src.rpc('net_version')).toBe(recorded('src', 'net_version'))
    await sync.rpc('admin_addPeer', [(await infoOf(src)).enode])
    const seen: object[] = []
    const head = recorded('sync', 'eth_blockNumber')
    const deadline = Date.now() + SYNC_MS
    for (let status: false | object; ; await delay(10)) {
      status = await sync.rpc<false | object>('eth_syncing')
      if (status !== false) seen.push(status)
      else if ((await sync.rpc('eth_blockNumber')) === head) break
      if (Date.now() > deadline) throw new Error(`not in sync: ${JSON.stringify(status)}`)
    }
    expect(new Set(seen.map(statusForm))).toEqual(new Set(steps.slice(0, -10).flatMap(recordedForm)))
    const heights = seen.map((status) => Number((status as Status).currentBlock))
    expect(heights).toEqual(heights.toSorted((a, b) => a - b))
    for (const [name, node] of Object.entries({ sync, src })) {
      expect(peerForm(await node.rpc('admin_peers'))).toEqual(peerForm(recorded(name, 'admin_peers')))
    }
    expect(await src.rpc('eth_syncing')).toBe(false)
    await stopAll({ src, sync })
  })
})
