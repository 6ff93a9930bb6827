/** Reads follow writes across processes for HTTP, also while these are killed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { needsHost } from '../support/host/needs.ts'
import { childrenOf, KeptConnection, startWithWorkers } from '../support/nodes/httpWorkers.ts'
import type { RunningNode } from '../support/nodes/program.ts'
import { longCount } from './count.ts'

const WRITES = Math.min(longCount, 20_000)
const ANSWERS = 10 * WRITES
const KILLS = Math.max(2, Math.floor(WRITES / 400))
const CONNECTIONS = 8
/** Below the limit of deaths in a minute after which a process is not replaced. */
const MIN_KILL_INTERVAL_MS = 16_000
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
  it(`${ANSWERS} answers are those of the first`, async () => {
    const block = await node.rpc('eth_blockNumber')
    const questions = [
      ['eth_getBlockByNumber', block, true],
      ['eth_getBalance', FROM, block],
      ['eth_getTransactionCount', FROM, 'latest'],
    ] as const
    const expected = await Promise.all(
      questions.map(async ([method, ...params]) => JSON.stringify(await node.rpc(method, params))),
    )
    let answered = 0
    let lost = 0
    const differing: string[] = []
    const client = async (): Promise<void> => {
      let connection = new KeptConnection(node.url)
      for (let i = 0; answered < ANSWERS; i++) {
        const at = i % questions.length
        const [method, ...params] = questions[at] as (typeof questions)[number]
        try {
          const answer = JSON.stringify(await connection.ask(method, ...params))
          answered++
          if (answer !== expected[at]) differing.push(answer)
        } catch {
          lost++
          connection.close()
          connection = new KeptConnection(node.url)
        }
      }
      connection.close()
    }
    let killed = 0
    const kill = async (): Promise<void> => {
      while (answered < ANSWERS && killed < KILLS) {
        const [victim] = childrenOf(node.pid)
        if (victim !== undefined) process.kill(victim, 'SIGKILL')
        killed++
        if (killed < KILLS) await new Promise((resolve) => setTimeout(resolve, MIN_KILL_INTERVAL_MS))
      }
    }
    await Promise.all([kill(), ...Array.from({ length: CONNECTIONS }, client)])
    expect(differing).toEqual([])
    // Each kill ends the connections of one process only.
    expect(lost).toBeLessThanOrEqual(killed * CONNECTIONS)
    await eventually(() => expect(childrenOf(node.pid)).toHaveLength(2))
  })
})
