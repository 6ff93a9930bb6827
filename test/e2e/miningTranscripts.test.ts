/** Replays recorded requests of miners against the built node: JSON-RPC, and Stratum over real sockets. */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type * as adapter from '../../adapters/server/startNode.ts'
import type * as localNode from '../../adapters/shared/localNode.ts'
import type { Logger } from '../../src/base/ports/host.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import { bytesToHex, hexToBytes } from '../../src/base/primitives/bytes.ts'
import type { NodeFlags } from '../../src/cli/nodeFlags.ts'
import { EpochCaches } from '../../src/consensus/pow/epochCaches.ts'
import { decodeBlock } from '../../src/types/blockCodec.ts'
import { readBlocks } from '../../src/types/blockSplitter.ts'
import { encodeTransaction } from '../../src/types/transactionCodec.ts'
import { recordedPath } from '../support/recorded/conformance.ts'

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

interface Step {
  readonly n: number
  readonly block?: number
  readonly request?: { readonly method: string; readonly params: readonly unknown[] }
  readonly response?: Reply
  readonly note?: string
  readonly connection?: string
  readonly from?: 'client' | 'node'
  readonly bytes?: string
}

type ListeningNode = adapter.ListeningNode

/** The build, in which the miner has its own thread. */
const { startNode } = (await import(
  new URL('../../dist/adapters/server/startNode.js', import.meta.url).href
)) as typeof adapter
const { internalsOf } = (await import(
  new URL('../../dist/adapters/shared/localNode.js', import.meta.url).href
)) as typeof localNode

const FOLDER = 'besu/pow-live'
const genesisFile = recordedPath(FOLDER, 'genesis.json')
const COINBASE = `0x${'c0'.repeat(20)}`
const caches = new EpochCaches({ isTest: true })
const nodes: ListeningNode[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const node of nodes.splice(0)) await node.close()
})

function stepsOf(name: string): readonly Step[] {
  return (JSON.parse(readFileSync(recordedPath(FOLDER, name), 'utf8')) as { steps: readonly Step[] }).steps
}

/** A node on the recorded genesis in ethash's test mode, and the port of its Stratum server. */
async function open(flags: NodeFlags): Promise<{ readonly node: ListeningNode; readonly port: number }> {
  let port = 0
  const logger: Logger = {
    ...silentLogger,
    info: (_, properties) => {
      if (typeof properties?.['port'] === 'number') port = properties['port']
    },
    child: (category) => (category === 'stratum' ? logger : silentLogger),
  }
  const node = await startNode({
    genesisFile: genesisFile as string,
    p2p: false,
    api: ['ETH', 'MINER', 'NET'],
    logger,
    flags: { ethashTestMode: true, ...flags },
  })
  nodes.push(node)
  return { node, port }
}

async function send(node: ListeningNode, method: string, params: readonly unknown[] = []): Promise<Reply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(node.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return (await response.json()) as Reply
}

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; !(await isReached()); i++) {
    if (i > 2000) throw new Error('not reached')
    await delay(5)
  }
}

const headOf = (node: ListeningNode): number => Number(internalsOf(node).chain.head.header.number)

/** Solves work, or finds a nonce that does not. */
function nonceFor(powHash: string, isValid: boolean): string {
  const [hash, target] = [hexToBytes(powHash), hexToBytes(`0x00da740da740da74${'0da740da740da740'.repeat(3)}`)]
  const task = { blockNumber: 1, isLong: false, powHash: hash, target }
  const first = BigInt(`0x${powHash.slice(2, 10)}`)
  if (isValid) return bytesToHex(caches.search(task, first, 40_000)?.nonce as Uint8Array)
  for (let i = first; ; i++) {
    if (caches.search({ ...task }, i * 4n, 4) === undefined) return `0x${(i * 4n).toString(16).padStart(16, '0')}`
  }
}

/** Replaces hex that differs in every run, and removes the member that Besu did not have. */
const shapeOf = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(/0x[0-9a-f]*/g, '0x').replaceAll('"yParity":"0x",', '')

/** Recorded pow hashes and ours. */
class Works {
  readonly #ours = new Map<string, string>()
  readonly #solved = new Set<string>()

  learn(recorded: unknown, ours: unknown): void {
    if (Array.isArray(recorded) && Array.isArray(ours)) this.#ours.set(recorded[0], ours[0])
  }

  /** Parameters of eth_submitWork with our hash, and a nonce with the recorded result. */
  translate(params: readonly unknown[], result: unknown): readonly unknown[] {
    const [nonce, powHash, ...rest] = params as string[]
    const ours = this.#ours.get(powHash as string)
    if (ours === undefined || (nonce as string).length < 18) return params
    const isSolved = this.#solved.has(ours)
    if (result === true) this.#solved.add(ours)
    const found = nonceFor(ours, result === true || isSolved)
    return [`${found}${(nonce as string).slice(18)}`, ours, ...rest]
  }
}

/** Recorded answers that this node answers otherwise, with the reason. */
function expectedOf({ n, request, response }: Step, file: string): Reply | undefined {
  // The specification: true.
  if (request?.method === 'miner_stop') return { ...response, result: true }
  // Negative limits are invalid parameters (case besu/dev/miner_changeTargetGasLimit/negative).
  if (file === 'transcript.json' && n === 33) return { error: { code: -32602, message: 'Invalid params' } }
  return response
}

const TIMELESS = new Set(['eth_hashrate', 'eth_mining', 'eth_coinbase', 'miner_start', 'miner_stop'])

async function replay(node: ListeningNode, step: Step, file: string, works: Works): Promise<void> {
  const { n, request, block = 0, note } = step
  if (request === undefined) return
  const expected = expectedOf(step, file)
  await until(() => headOf(node) >= block)
  const { method } = request
  const params = method === 'eth_submitWork' ? works.translate(request.params, expected?.result) : request.params
  const { result, error } = await send(node, method, params)
  const where = `${file} step ${n}: ${method}${note === undefined ? '' : ` (${note})`}`
  expect(error, where).toEqual(expected?.error)
  if (typeof expected?.result === 'boolean' || TIMELESS.has(method)) expect(result, where).toBe(expected?.result)
  // The block that a solution seals is committed later, or sooner than in the recording.
  else if (method !== 'eth_blockNumber') expect(shapeOf(result), where).toBe(shapeOf(expected?.result))
  if (method === 'eth_getWork' && Array.isArray(result)) {
    works.learn(expected?.result, result)
    expect(result.slice(1, 3), where).toEqual(Array.isArray(expected?.result) ? expected.result.slice(1, 3) : undefined)
  }
}

async function recordedTransaction(): Promise<string> {
  const file = new Uint8Array(readFileSync(recordedPath(FOLDER, 'blocks.bin')))
  for await (const rlp of readBlocks([file])) {
    const [transaction] = decodeBlock(rlp).transactions
    if (transaction !== undefined) return bytesToHex(encodeTransaction(transaction))
  }
  throw new Error('no transaction recorded')
}

describe('recorded requests of miners', () => {
  it('switches mining on and off like the recording', { timeout: 60_000 }, async () => {
    const { node } = await open({})
    const works = new Works()
    const steps = stepsOf('transcript.json')
    const between = (first: number, last: number): readonly Step[] => steps.filter(({ n }) => n >= first && n <= last)
    for (const step of between(1, 5)) await replay(node, step, 'transcript.json', works)
    for (const step of between(7, 40)) await replay(node, step, 'transcript.json', works)
    for (const step of between(42, 99)) await replay(node, step, 'transcript.json', works)
    expect(headOf(node)).toBeGreaterThanOrEqual(4)
    expect(internalsOf(node).chain.head.header.gasLimit).toBeGreaterThan(30_000_000n)
  })

  it('gives work and takes solutions like the recording', { timeout: 60_000 }, async () => {
    const { node } = await open({
      minerEnabled: true,
      minerCoinbase: COINBASE,
      minerExtraData: '0x69736f',
      minerStratumEnabled: true,
      minerStratumHost: '127.0.0.1',
      minerStratumPort: 0,
      minGasPrice: 1,
    })
    await until(async () => (await send(node, 'eth_getWork')).error === undefined)
    const works = new Works()
    const file = 'transcript-getwork.json'
    for (const step of stepsOf(file)) {
      if (step.n === 22) {
        await until(() => headOf(node) >= 2)
        const { error } = await send(node, 'eth_sendRawTransaction', [await recordedTransaction()])
        expect(error).toBeUndefined()
      }
      if (step.request?.method === 'eth_getWork' && Array.isArray(step.response?.result)) {
        const wanted = (step.block ?? 0) + 1
        await until(async () => {
          const { result } = await send(node, 'eth_getWork')
          return Array.isArray(result) && Number(result[3]) >= wanted
        })
      }
      await replay(node, step, file, works)
    }
    expect(internalsOf(node).chain.headerByNumber(4)?.header.gasUsed).toBe(21_000n)
  })

  it('pushes work and counts hash rates like the recording', { timeout: 60_000 }, async () => {
    const { node, port } = await open({
      minerEnabled: true,
      minerCoinbase: COINBASE,
      minerStratumEnabled: true,
      minerStratumHost: '127.0.0.1',
      minerStratumPort: 0,
      XminerStratumExtranonce: 'abcd',
    })
    await until(async () => (await send(node, 'eth_getWork')).error === undefined)
    const connections = new Map<string, { readonly socket: Socket; text: string }>()
    const opened = (name: string) => {
      const known = connections.get(name)
      if (known !== undefined) return known
      const connection = { socket: connect(port, '127.0.0.1'), text: '' }
      sockets.push(connection.socket)
      connection.socket.on('data', (data) => {
        connection.text += data
      })
      connections.set(name, connection)
      return connection
    }
    const works = new Works()
    const file = 'transcript-hashrate-push.json'
    for (const step of stepsOf(file)) {
      const { n, connection: name, from, bytes = '' } = step
      if (name === undefined) {
        await replay(node, step, file, works)
        continue
      }
      const connection = opened(name)
      if (from === 'client') connection.socket.write(bytes)
      else {
        const lines = bytes.split('\n').length
        await until(() => connection.text.split('\n').length >= lines)
        expect(shapeOf(connection.text.split('\n')), `step ${n}`).toBe(shapeOf(bytes.split('\n')))
        connection.text = ''
      }
    }
    expect(headOf(node)).toBe(2)
  })
})
