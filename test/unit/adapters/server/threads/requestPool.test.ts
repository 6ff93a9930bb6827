// slow: threads that start and fail
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DataDirectory, openDataDirectory } from '../../../../../adapters/server/data/dataDirectory.ts'
import { RequestPool, type RequestPoolOptions } from '../../../../../adapters/server/threads/requestPool.ts'
import { packConfig, type ReaderData } from '../../../../../adapters/server/threads/requestWire.ts'
import {
  MAX_REQUEST_QUEUE,
  MAX_REQUESTS_PER_WORKER,
  REQUEST_WORKER_CREDIT_BYTES,
} from '../../../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import type { WorkerRequest } from '../../../../../src/base/ports/requestWorkers.ts'
import type { ByteSink } from '../../../../../src/base/primitives/byteSink.ts'
import { JSON_CHUNK_BYTES } from '../../../../../src/base/primitives/jsonWriter.ts'
import { devGenesis } from '../../../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../../../src/config/options.ts'
import { settingsOf } from '../../../../../src/node/settings/nodeSettings.ts'
import { METHODS } from '../../../../../src/rpc/methods/index.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'
import { eventually } from '../../../../support/host/eventually.ts'
import { DEV_CHAIN } from '../../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../../support/nodes/devNodeInMemory.ts'
import { replyText } from '../../../../support/rpc/replyText.ts'

const CONTRACT = '0x00000000000000000000000000000000000000aa'
const ENDLESS = '0x00000000000000000000000000000000000000bb'
const UNKNOWN = `0x${'11'.repeat(32)}`
const ALL_GAS = '0xffffffffff'
/** Adds to a slot, calls the identity precompile with value 0, creates a contract whose code is one byte, and logs. */
const CONTRACT_CODE = '0x6001545f5260015460010160015560205f60205f5f60045af150600160005360015ff0505f5fa000'
/** JUMPDEST PUSH1 0 JUMP */
const ENDLESS_CODE = '0x5b600056'

/** Replaces the worker: reports which thread answered a request, and holds or ends on demand. */
const STAND_IN = `
import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', ({ kind, id, method }) => {
  if (kind === 'close') parentPort.postMessage({ kind: 'closed' })
  if (kind === 'abort') parentPort.postMessage({ kind: 'done', id })
  if (kind !== 'run' || method === 'hold') return
  if (method === 'exit') process.exit(7)
  const bytes = new TextEncoder().encode(String(threadId))
  parentPort.postMessage({ kind: 'chunk', id, bytes })
  parentPort.postMessage({ kind: 'done', id })
})
parentPort.postMessage({ kind: 'ready' })
`

const worker = bundledWorker('adapters/server/threads/requestWorker.ts')

/** Accepts everything, or nothing until it is opened. */
class TestSink implements ByteSink {
  length = 0
  text = ''
  isFull = false
  readonly #decoder = new TextDecoder()
  #open: (() => void)[] = []

  write(chunk: Uint8Array): void {
    this.length += chunk.length
    this.text += this.#decoder.decode(chunk, { stream: true })
  }

  drained(): Promise<void> {
    return this.isFull ? new Promise((resolve) => this.#open.push(resolve)) : Promise.resolve()
  }

  open(): void {
    this.isFull = false
    for (const resolve of this.#open.splice(0)) resolve()
  }
}

describe('a request pool', () => {
  let directory: string
  let data: DataDirectory
  let pool: RequestPool
  let inPlace = false
  let dev: OpenedNode

  const send = (to: string): Promise<string> => dev.rpc('eth_sendTransaction', { from: sender, to, gas: '0x50000' })
  let sender: string

  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'isonode-requests-'))
    data = openDataDirectory(directory, 'process')
    const { rpc, evm, slotsInEpoch, readers } = settingsOf(defaultOptions(true), true, { readers: 1 })
    const { config: chainConfig } = parseGenesis(devGenesis(), { networkId: BigInt(DEV_CHAIN) })
    const config = packConfig(chainConfig)
    const settings = { rpc, evm, slotsInEpoch, memory: readers.memory }
    const readerData: ReaderData = { directory, durability: 'process', config, settings }
    pool = new RequestPool({ data: readerData, logger: silentLogger, workers: 1, workerUrl: worker.url })
    inPlace = false
    const workers = {
      run: pool.run.bind(pool),
      close: () => pool.close(),
      get isBroken() {
        return inPlace
      },
    }
    dev = await openDevNode({}, data.store, { workers })
    ;[sender] = (await dev.rpc('eth_accounts')) as [string]
    await dev.rpc('anvil_setCode', CONTRACT, CONTRACT_CODE)
    await dev.rpc('anvil_setCode', ENDLESS, ENDLESS_CODE)
  })

  afterEach(async () => {
    await pool.close()
    await dev.node.close()
    await data.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function answerOf(method: string, params: readonly unknown[]): Promise<string> {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = await dev.node.endpoints.get('http').exchange.handle({ body: request })
    return replyText(reply)
  }

  it('answers every heavy method, including errors, like the main thread', async () => {
    const hashes = [await send(CONTRACT), await send(CONTRACT), await send(sender)]
    const hash = hashes[1] as string
    const block = (await dev.rpc<{ blockHash: string }>('eth_getTransactionReceipt', hash)).blockHash
    const rlp = await dev.rpc<string>('debug_getRawBlock', '0x2')
    const raw = await dev.rpc<string>('debug_getRawTransaction', hash)
    const call = { from: sender, to: CONTRACT, gas: '0x50000' }
    const types = ['trace', 'vmTrace', 'stateDiff']
    const requests: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
      debug_traceTransaction: [[hash], [hash, { tracer: 'callTracer' }], [UNKNOWN], ['0x1']],
      debug_traceBlockByNumber: [['0x2'], ['latest', { tracer: 'prestateTracer' }], ['0xffff']],
      debug_traceBlockByHash: [[block, { tracer: 'flatCallTracer' }], [UNKNOWN]],
      debug_traceBlock: [[rlp], ['0xc0']],
      debug_traceCall: [
        [call, 'latest', {}],
        [call, 'latest', { tracer: 'none' }],
        [call, '0xffff', {}],
      ],
      debug_traceSteps: [
        [hash],
        [{ call }, { from: 2, count: 3, memory: true, storage: true }],
        [UNKNOWN],
        [{ call: 1 }],
      ],
      debug_findStep: [
        [hash, { direction: 'backward', where: { write: true } }],
        [{ call }, { where: { failure: true } }],
        [hash, { where: { op: 'NONE' } }],
      ],
      debug_traceCallMany: [
        [[{ transactions: [call, call] }], { blockNumber: 'latest' }, { tracer: 'callTracer' }],
        [[{ transactions: [call] }], { blockNumber: '0xffff' }, {}],
      ],
      ots_getContractCreator: [[CONTRACT], [sender]],
      ots_getInternalOperations: [[hash], [UNKNOWN]],
      ots_getTransactionError: [[hash], [UNKNOWN]],
      ots_searchTransactionsAfter: [
        [sender, 0, 5],
        [CONTRACT, '0x0', 1],
      ],
      ots_searchTransactionsBefore: [
        [sender, 0, 5],
        [CONTRACT, 2, 1],
      ],
      ots_traceTransaction: [[hash], [UNKNOWN]],
      trace_block: [['0x2'], ['0x0']],
      trace_transaction: [[hash], [UNKNOWN]],
      trace_get: [[hash, ['0x0']]],
      trace_replayTransaction: [
        [hash, types],
        [UNKNOWN, types],
      ],
      trace_replayBlockTransactions: [
        ['0x2', types],
        ['latest', ['trace']],
      ],
      trace_filter: [[{ fromBlock: '0x1', toBlock: 'latest' }], [{ toAddress: [CONTRACT] }]],
      trace_call: [
        [call, types],
        [{ ...call, gas: '0x1' }, types],
      ],
      trace_callMany: [
        [[[call, types]], 'latest'],
        [[], 'latest'],
      ],
      trace_rawTransaction: [
        [raw, types],
        ['0x00', types],
      ],
    }
    expect(Object.keys(requests).sort()).toEqual(
      METHODS.filter((one) => one.isHeavy)
        .map(({ name }) => name)
        .sort(),
    )
    for (const [method, calls] of Object.entries(requests)) {
      for (const params of calls) {
        inPlace = false
        const fromThread = await answerOf(method, params)
        inPlace = true
        expect(fromThread, method).toBe(await answerOf(method, params))
      }
    }
  })

  it('names a refused parameter within the process', async () => {
    inPlace = false
    const provider = dev.node.openProvider()
    await expect(provider.request('debug_traceTransaction', ['0x1'])).rejects.toMatchObject({
      code: -32602,
      expected: '32 bytes of hex',
      got: '"0x1"',
      parameter: 'hash',
    })
    provider.close()
  })

  it('sees new blocks, amendments and removed blocks immediately', async () => {
    const trace = (hash: string): Promise<string> =>
      answerOf('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    for (let i = 0; i < 5; i++) expect(await trace(await send(CONTRACT))).toContain(`"to":"${CONTRACT}"`)
    const balanceOf = async (): Promise<string | undefined> => {
      const options = { tracer: 'prestateTracer' }
      const reply = await answerOf('debug_traceCall', [{ from: CONTRACT, to: CONTRACT }, 'latest', options])
      return JSON.parse(reply).result[CONTRACT].balance
    }
    for (const balance of ['0xabc', '0x123']) {
      await dev.rpc('anvil_setBalance', CONTRACT, balance)
      expect(await balanceOf()).toBe(balance)
    }
    const snapshot = await dev.rpc('evm_snapshot')
    await dev.rpc('anvil_setBalance', CONTRACT, '0x5')
    const removed = await send(CONTRACT)
    expect(await trace(removed)).toContain('"result"')
    await dev.rpc('evm_revert', snapshot)
    expect(await trace(removed)).toContain('transaction not found')
    expect(await balanceOf()).toBe('0x123')
    expect(await trace(await send(sender))).toContain(`"to":"${sender.toLowerCase()}"`)
  })

  it('reads each state unchanged while new blocks are written', async () => {
    const hashes: string[] = []
    for (let i = 0; i < 12; i++) hashes.push(await send(CONTRACT))
    const traceAll = () =>
      Promise.all(hashes.map((hash) => answerOf('debug_traceTransaction', [hash, { tracer: 'prestateTracer' }])))
    inPlace = true
    const expected = await traceAll()
    inPlace = false
    for (let round = 0; round < 3; round++) {
      const traces = traceAll()
      for (let i = 0; i < 20; i++) await send(CONTRACT)
      expect(await traces).toEqual(expected)
    }
  })

  it('keeps the main thread free, and stops work that is no longer awaited', async () => {
    const endless = [{ to: ENDLESS, gas: ALL_GAS }, 'latest', { tracer: 'callTracer' }]
    const controllers = Array.from({ length: MAX_REQUESTS_PER_WORKER }, () => new AbortController())
    const runs = controllers.map(({ signal }) =>
      pool.run({ method: 'debug_traceCall', params: endless }, new TestSink(), signal),
    )
    const outcomes = Promise.allSettled(runs)
    const behind = answerOf('debug_traceCall', [{ to: CONTRACT }, 'latest', { tracer: 'callTracer' }])
    expect(await dev.rpc('eth_blockNumber')).toBe('0x0')
    for (const controller of controllers) controller.abort(new Error('gone'))
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'EXECUTION_ABORTED' } })
    }
    expect(await behind).toContain('"result"')
  })

  it('waits for a slow reader', async () => {
    const sink = new TestSink()
    sink.isFull = true
    const call = { to: ENDLESS, gas: '0x30000' }
    const params = [call, 'latest', {}]
    const run = pool.run({ method: 'debug_traceCall', params }, sink, undefined)
    const most = REQUEST_WORKER_CREDIT_BYTES + 2 * JSON_CHUNK_BYTES
    await eventually(() => expect(sink.length).toBeGreaterThan(REQUEST_WORKER_CREDIT_BYTES))
    expect(await answerOf('trace_block', ['0x0'])).toContain('"result"')
    expect(sink.length).toBeLessThan(most)
    sink.open()
    await run
    expect(sink.length).toBeGreaterThan(most)
    expect(JSON.parse(sink.text).structLogs.length).toBeGreaterThan(10_000)
  })

  it('ends running requests when it is closed', async () => {
    const sink = new TestSink()
    sink.isFull = true
    const params = [{ to: ENDLESS, gas: ALL_GAS }, 'latest', {}]
    const run = pool.run({ method: 'debug_traceCall', params }, sink, undefined)
    const outcome = expect(run).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' })
    await eventually(() => expect(sink.length).toBeGreaterThan(0))
    await pool.close()
    await outcome
    await expect(pool.run({ method: 'trace_block', params: ['0x0'] }, sink, undefined)).rejects.toMatchObject({
      code: 'EXECUTION_ABORTED',
    })
  })
})

describe('the threads of a request pool', () => {
  const pools: RequestPool[] = []
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close()
  })

  function open(module: URL, options: Partial<RequestPoolOptions> = {}): RequestPool {
    const pool = new RequestPool({
      data: {} as ReaderData,
      logger: silentLogger,
      workers: 1,
      workerUrl: module,
      ...options,
    })
    pools.push(pool)
    return pool
  }

  async function answer(pool: RequestPool, request: Partial<WorkerRequest> = {}): Promise<string> {
    const sink = new TestSink()
    await pool.run({ method: 'thread', params: [], ...request }, sink, undefined)
    return sink.text
  }

  const hold = (pool: RequestPool, request: Partial<WorkerRequest> = {}): AbortController => {
    const controller = new AbortController()
    pool.run({ method: 'hold', params: [], ...request }, new TestSink(), controller.signal).catch(() => {})
    return controller
  }

  it('receive requests with a subject they had before, and are started when all others are busy', async () => {
    const pool = open(worker.moduleOf('standIn.mjs', STAND_IN), { workers: 2 })
    const first = await answer(pool, { subject: 'a' })
    expect(await answer(pool, { subject: 'b' })).toBe(first)
    const held = hold(pool, { subject: 'a' })
    const second = await answer(pool, { subject: 'c' })
    expect(second).not.toBe(first)
    held.abort()
    await eventually(async () => expect(await answer(pool, { subject: 'a' })).toBe(first))
    expect(await answer(pool, { subject: 'c' })).toBe(second)
    expect(await answer(pool, { subject: 'b' })).toBe(first)
  })

  it('fail their requests when they end, and are replaced', async () => {
    const pool = open(worker.moduleOf('standIn.mjs', STAND_IN))
    const first = await answer(pool)
    for (let i = 0; i < 4; i++) {
      await expect(answer(pool, { method: 'exit' })).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    }
    expect(await answer(pool)).not.toBe(first)
    expect(pool.isBroken).toBe(false)
  })

  it('end when they are idle', async () => {
    const pool = open(worker.moduleOf('standIn.mjs', STAND_IN), { idleMs: 1 })
    const first = await answer(pool)
    await eventually(async () => expect(await answer(pool)).not.toBe(first))
  })

  it('are not started again after repeated failures, which reject no request before', async () => {
    const pool = open(worker.moduleOf('broken.mjs', 'throw new Error("broken")'))
    expect(pool.isBroken).toBe(false)
    const answers = await Promise.allSettled([answer(pool), answer(pool), answer(pool)])
    for (const settled of answers) expect(settled).toMatchObject({ reason: { code: 'WORKERS_UNAVAILABLE' } })
    expect(pool.isBroken).toBe(true)
    await expect(answer(pool)).rejects.toMatchObject({ code: 'WORKERS_UNAVAILABLE' })
  })

  it('have a bounded queue', async () => {
    const pool = open(worker.moduleOf('standIn.mjs', STAND_IN))
    const held = Array.from({ length: MAX_REQUESTS_PER_WORKER + MAX_REQUEST_QUEUE }, () => hold(pool))
    await expect(answer(pool)).rejects.toMatchObject({ code: 'WORKERS_BUSY' })
    held.at(-1)?.abort()
    const behind = answer(pool)
    for (const controller of held) controller.abort()
    expect(await behind).toMatch(/^\d+$/)
  })
})
