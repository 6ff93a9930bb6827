/** Endless calls end in time, do not delay other requests, and end with their client. */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { needsHost } from '../support/host/needs.ts'
import { type RpcError, type RunningNode, rpc, startNode } from '../support/nodes/program.ts'

const DEADLINE_MS = 1500
/** The gas of one simulation lasts about a second, so its deadline is earlier. */
const SIMULATION_DEADLINE_MS = 300
/** Tolerance beyond the deadline, for slices, timers and a busy machine. Without a deadline, the calls never end. */
const GRACE_MS = 10_000
/** Of a quiet machine; test/bench/deadline.bench.mjs measures it more precisely. */
const MAX_P99_MS = 250
/** An idle node beside shows how busy the machine is: each of its milliseconds allows this number of further ones. */
const TOLERANCE = 10

const CONTRACT = '0x00000000000000000000000000000000000000aa'
const GAS = '0xffffffffff'

/** JUMPDEST PUSH1 0 JUMP, as the code of an account and as creation code. */
const ENDLESS_CALLS = {
  'by state override': [{ to: CONTRACT, gas: GAS }, 'latest', { [CONTRACT]: { code: '0x5b600056' } }],
  'by creation code': [{ data: '0x5b600056', gas: GAS }, 'latest'],
} as const

const { 'by state override': BY_OVERRIDE, 'by creation code': BY_CREATION } = ENDLESS_CALLS

/** A pair of EIP-197's group generators. */
const PAIR = [
  '0000000000000000000000000000000000000000000000000000000000000001',
  '0000000000000000000000000000000000000000000000000000000000000002',
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
].join('')
/** Endless pairings, which the gas limit of one simulation ends. */
const SLOW_SIMULATION = { data: `0x60c060145f395b5f5f60c05f60085afa50600656${PAIR}`, gas: GAS }

let node: RunningNode
let idle: RunningNode
beforeAll(async () => {
  idle = await startNode(['--ephemeral'])
  // Without a gas cap, only the deadline ends a call.
  node = await startNode(['--ephemeral', `--rpc-call-timeout-ms=${DEADLINE_MS}`, '--rpc-call-gas-cap=0'])
})

interface Outcome {
  readonly elapsedMs: number
  readonly error: RpcError | undefined
}

async function timed(work: Promise<unknown>): Promise<Outcome> {
  const start = performance.now()
  const error = await work.then(
    () => undefined,
    (reason: RpcError) => reason,
  )
  return { elapsedMs: performance.now() - start, error }
}

/** Sorted latencies of eth_blockNumber in milliseconds, of the node and of an idle one, until the work is done. */
async function latenciesDuring(work: Promise<unknown>): Promise<readonly (readonly number[])[]> {
  const state = { done: false }
  void work.finally(() => {
    state.done = true
  })
  const latenciesOf = async (asked: RunningNode): Promise<readonly number[]> => {
    const latencies: number[] = []
    while (!state.done) {
      latencies.push((await timed(asked.rpc('eth_blockNumber'))).elapsedMs)
      await delay(5)
    }
    return latencies.sort((a, b) => a - b)
  }
  return Promise.all([node, idle].map(latenciesOf))
}

function expectDeadline({ elapsedMs, error }: Outcome, deadlineMs = DEADLINE_MS): void {
  expect(error?.message).toMatch(/timeout|timed out/i)
  expect(elapsedMs).toBeGreaterThan(deadlineMs - 100)
  expect(elapsedMs).toBeLessThan(deadlineMs + GRACE_MS)
}

function expectResponsive(latencies: readonly (readonly number[])[]): void {
  const [own, control] = latencies.map((sorted) => sorted[Math.floor(sorted.length * 0.99)]) as [number, number]
  expect(latencies[0]?.length).toBeGreaterThan(5)
  expect(own).toBeLessThan(MAX_P99_MS + TOLERANCE * control)
}

describe('an endless eth_call', () => {
  it.each(Object.keys(ENDLESS_CALLS) as (keyof typeof ENDLESS_CALLS)[])(
    '%s ends at its deadline while others are answered',
    async (how) => {
      const call = timed(node.rpc('eth_call', ENDLESS_CALLS[how]))
      expectResponsive(await latenciesDuring(call))
      expectDeadline(await call)
    },
  )

  it('does the same eight times in parallel', async () => {
    const calls = Promise.all(
      Array.from({ length: 8 }, (_, i) => timed(node.rpc('eth_call', i % 2 === 0 ? BY_OVERRIDE : BY_CREATION))),
    )
    expectResponsive(await latenciesDuring(calls))
    for (const outcome of await calls) expectDeadline(outcome)
  })

  it('as eth_createAccessList ends too', async () => {
    expectDeadline(await timed(node.rpc('eth_createAccessList', BY_CREATION)))
  })

  it('as eth_simulateV1 ends too', async () => {
    const impatient = await startNode(['--ephemeral', `--rpc-call-timeout-ms=${SIMULATION_DEADLINE_MS}`])
    const call = impatient.rpc('eth_simulateV1', [simulation(SLOW_SIMULATION), 'latest'])
    expectDeadline(await timed(call), SIMULATION_DEADLINE_MS)
    expect((await impatient.stop()).code).toBe(0)
  })
})

function simulation(call: object): object {
  return { blockStateCalls: [{ blockOverrides: { gasLimit: GAS }, calls: [call] }] }
}

/** The calls would never end. */
const STOP_MS = 20_000

/** Both states last, so a busy machine only delays them. */
const PATIENCE = { timeout: 60_000, interval: 50 }

const hasProc = existsSync('/proc/self/stat')
if (!hasProc) console.warn('deadline: processor time is not measured, there is no /proc')

/** Processor time of a process so far, in ticks of 10 ms (proc(5), fields 14 and 15). */
function processorTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

describe('a client that disconnects', () => {
  it('ends its pending work', needsHost(hasProc, 'there is no /proc'), async () => {
    const long = await startNode(['--ephemeral', '--rpc-call-timeout-ms=60000', '--rpc-call-gas-cap=0'])
    const gone = new AbortController()
    const calls = [BY_OVERRIDE, BY_CREATION].map((params) => timed(rpc(long.url, 'eth_call', params, gone.signal)))
    const start = processorTicks(long.pid)
    await vi.waitFor(() => expect(processorTicks(long.pid) - start).toBeGreaterThan(20), PATIENCE)
    gone.abort()
    await Promise.all(calls)
    await vi.waitFor(async () => {
      const before = processorTicks(long.pid)
      await delay(500)
      expect(processorTicks(long.pid) - before).toBeLessThan(10)
    }, PATIENCE)
    expect((await long.stop()).code).toBe(0)
  })

  it('does not keep a node from stopping', async () => {
    const calls = [BY_OVERRIDE, BY_CREATION].map((params) => timed(node.rpc('eth_call', params)))
    await delay(100)
    const start = performance.now()
    expect((await node.stop()).code).toBe(0)
    expect(performance.now() - start).toBeLessThan(STOP_MS)
    await Promise.all(calls)
  })
})
