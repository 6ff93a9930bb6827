/** Reads follow writes across processes for HTTP, also while these are killed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_HTTP_WORKER_DEATHS } from '../../src/base/limits/limits.ts'
import { eventually } from '../support/host/eventually.ts'
import { needsHost } from '../support/host/needs.ts'
import { childrenOf, clientPortsOf, KeptConnection, startWithWorkers } from '../support/nodes/httpWorkers.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { longCount } from './count.ts'

const WRITES = Number.isFinite(longCount) ? longCount : 20_000
/** 50 with 20,000 writes, the count of a whole run. */
const KILLS = Math.max(2, Math.floor(WRITES / 400))
const CONNECTIONS = 8
/** Time in which a process is to be replaced. Printed, since other programs may share the machine. */
const AIM_MS = 1000
/** After one more death in a minute, processes are not replaced. */
const KILLS_OF_A_NODE = MAX_HTTP_WORKER_DEATHS - 1
/** Then a client opens another one, so that a new process gets some. */
const REQUESTS_OF_A_CONNECTION = 50
const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TRANSFER = { from: FROM, to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', value: '0x1' }
const linuxOnly = needsHost(process.platform === 'linux', 'the test finds processes in /proc')

let node: RunningNode
beforeAll(async () => {
  node = await startWithWorkers(2, '--quiet')
}, 60_000)
afterAll(() => node.stop())

const someOf = (connections: readonly KeptConnection[]): KeptConnection =>
  connections[Math.floor(Math.random() * connections.length)] as KeptConnection

it(`${WRITES} receipts are never absent`, async () => {
  const connections = Array.from({ length: CONNECTIONS }, () => new KeptConnection(node.url))
  const absent: unknown[] = []
  for (let i = 0; i < WRITES; i++) {
    const hash = await someOf(connections).ask('eth_sendTransaction', TRANSFER)
    if ((await someOf(connections).ask('eth_getTransactionReceipt', hash)) === null) absent.push(hash)
  }
  expect(absent).toEqual([])
  for (const connection of connections) connection.close()
})

describe('while processes are killed', linuxOnly, () => {
  it(`${KILLS} times, only their connections end, and answers are those of the first`, async () => {
    const directory = temporaryDirectory()
    const differing: string[] = []
    const replacedAfterMs: number[] = []
    let answered = 0
    for (let killed = 0; killed < KILLS; killed += KILLS_OF_A_NODE) {
      const loaded = await LoadedNode.start(directory)
      try {
        for (let i = killed; i < Math.min(KILLS, killed + KILLS_OF_A_NODE); i++) {
          replacedAfterMs.push(await loaded.killOne())
        }
      } finally {
        await loaded.stop()
      }
      expect(loaded.lostOfOthers).toEqual([])
      expect(loaded.lost).toBeGreaterThan(0)
      differing.push(...loaded.differing)
      answered += loaded.answered
    }
    expect(differing).toEqual([])
    const sorted = replacedAfterMs.sort((a, b) => a - b)
    const at = (part: number): number => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
    const late = sorted.filter((ms) => ms > AIM_MS).length
    console.log(
      `${answered} answers; ${KILLS} processes replaced after ${at(0)} to ${at(1)} ms, median ${at(0.5)} ms, ` +
        `nine of ten within ${at(0.9)} ms; ${late} after more than ${AIM_MS} ms`,
    )
  })
})

/** Questions whose answers do not change, since nothing is sent meanwhile. */
const QUESTIONS = [
  ['eth_getBlockByNumber', '0x1', true],
  ['eth_getBalance', FROM, 'latest'],
  ['eth_getTransactionCount', FROM, '0x1'],
] as const

/** A node whose clients ask all the time, and notice which connections end. */
class LoadedNode {
  readonly differing: string[] = []
  /** Ports of connections that ended although their process lived. */
  readonly lostOfOthers: number[] = []
  lost = 0
  answered = 0
  readonly #node: RunningNode
  readonly #expected: readonly string[]
  /** Ports of connections whose process was killed. */
  readonly #killed = new Set<number>()
  readonly #clients: Promise<void>[]
  #isStopping = false

  private constructor(node: RunningNode, expected: readonly string[]) {
    this.#node = node
    this.#expected = expected
    this.#clients = Array.from({ length: CONNECTIONS }, () => this.#client())
  }

  /** @param directory of the chain, which further nodes continue */
  static async start(directory: string): Promise<LoadedNode> {
    const node = await startNode([`--data-path=${directory}`, '--rpc-http-workers=2', '--quiet'])
    if ((await node.rpc('eth_blockNumber')) === '0x0') await node.rpc('eth_sendTransaction', [TRANSFER])
    const answers = QUESTIONS.map(([method, ...params]) => node.rpc(method, params))
    return new LoadedNode(
      node,
      (await Promise.all(answers)).map((answer) => JSON.stringify(answer)),
    )
  }

  /** Kills the process with the most connections. @returns milliseconds until another one answers */
  async killOne(): Promise<number> {
    const { pid, url } = this.#node
    await eventually(() => {
      expect(childrenOf(pid)).toHaveLength(2)
      for (const child of childrenOf(pid)) expect(clientPortsOf(child, url).size).toBeGreaterThan(0)
    })
    const before = childrenOf(pid)
    const [victim = 0] = [...before].sort((a, b) => clientPortsOf(b, url).size - clientPortsOf(a, url).size)
    // A process that stands still takes no further connection.
    process.kill(victim, 'SIGSTOP')
    for (const port of clientPortsOf(victim, url)) this.#killed.add(port)
    process.kill(victim, 'SIGKILL')
    const began = performance.now()
    await eventually(async () => {
      const connection = new KeptConnection(url)
      await connection.ask('eth_blockNumber')
      const successor = childrenOf(pid).find((child) => !before.includes(child))
      const isAnswering = successor !== undefined && clientPortsOf(successor, url).has(connection.port ?? 0)
      connection.close()
      if (!isAnswering) throw new Error('no new process answers')
    })
    return performance.now() - began
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#clients)
    await this.#node.stop()
  }

  async #client(): Promise<void> {
    let connection = new KeptConnection(this.#node.url)
    for (let i = 0; !this.#isStopping; i++) {
      const at = i % QUESTIONS.length
      const [method, ...params] = QUESTIONS[at] as (typeof QUESTIONS)[number]
      const isOld = i % REQUESTS_OF_A_CONNECTION === REQUESTS_OF_A_CONNECTION - 1
      try {
        const answer = JSON.stringify(await connection.ask(method, ...params))
        this.answered++
        if (answer !== this.#expected[at]) this.differing.push(answer)
        if (!isOld) continue
      } catch {
        this.lost++
        const { port = 0 } = connection
        if (!this.#killed.has(port)) this.lostOfOthers.push(port)
      }
      connection.close()
      connection = new KeptConnection(this.#node.url)
    }
    connection.close()
  }
}
