import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_TRACE_RESULT_LENGTH, SMALL_TRACE_GAS, TRACE_RESULT_BYTES } from '../../../src/base/limits/limits.ts'
import { StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import type { RequestWorkers, WorkerRequest } from '../../../src/base/ports/requestWorkers.ts'
import type { ByteSink } from '../../../src/base/primitives/byteSink.ts'
import { JsonWriter } from '../../../src/base/primitives/jsonWriter.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import { HeavyMethods, TraceResults } from '../../../src/rpc/heavyMethods.ts'
import type { MethodDefinition } from '../../../src/rpc/method.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { StreamedResult } from '../../../src/rpc/streamedResult.ts'
import { TextResult } from '../../../src/rpc/textResult.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

/** Answers every request with its method. */
class FakeWorkers implements RequestWorkers {
  readonly requests: WorkerRequest[] = []

  async run(request: WorkerRequest, sink: ByteSink): Promise<void> {
    this.requests.push(request)
    sink.write(new TextEncoder().encode(`"${request.method}"`))
  }

  async close(): Promise<void> {}
}

async function textOf(result: unknown): Promise<string> {
  if (result instanceof TextResult) return result.text
  let text = ''
  const decoder = new TextDecoder()
  const sink: ByteSink = {
    isFull: false,
    drained: async () => {},
    write: (chunk) => {
      text += decoder.decode(chunk, { stream: true })
    },
  }
  const out = new JsonWriter(sink)
  await (result as StreamedResult).write(out)
  out.flush()
  return text
}

describe('heavy methods', () => {
  const block = { key: 'block', work: SMALL_TRACE_GAS }
  const workers = new FakeWorkers()
  let runs: number
  let answer: string
  let subject: typeof block | undefined
  let misses = false
  let nowMs = 0
  /** Time that one run takes. */
  let lastsMs = 0
  const method: MethodDefinition<object> = {
    name: 'trace',
    group: undefined,
    summary: '',
    params: [],
    isHeavy: true,
    subjectOf: () => {
      if (misses) throw new StoreMiss({ kind: 'keys', keys: [] })
      return subject
    },
    result: { name: '', codec: { parse: () => undefined, serialize: (value) => value, schema: {} } },
    errors: [],
    handler: () => {
      runs++
      return new StreamedResult((out) => {
        nowMs += lastsMs
        out.ascii(answer)
      })
    },
  }
  const clock = { monotonic: () => nowMs }
  const traces = () =>
    new HeavyMethods({ backend: {}, profile: 'geth', clock, workers, traces: new TraceResults(TRACE_RESULT_BYTES) })
  const run = async (heavy: HeavyMethods<object>, ...params: unknown[]) =>
    textOf(heavy.run(method, params, new RpcRequestContext({ groups: new Set() })))

  beforeEach(() => {
    runs = 0
    answer = '"here"'
    subject = block
    lastsMs = 0
    workers.requests.length = 0
  })

  it('run in place for small blocks, once for equal requests', async () => {
    const heavy = traces()
    expect([await run(heavy, 'a'), await run(heavy, 'a')]).toEqual(['"here"', '"here"'])
    expect(runs).toBe(1)
    await run(heavy, 'b')
    subject = { ...block, key: 'other' }
    await run(heavy, 'a')
    expect(runs).toBe(3)
    expect(workers.requests).toEqual([])
  })

  it('take integers beyond 2^53, whose answers are not kept', async () => {
    const heavy = traces()
    for (let i = 0; i < 2; i++) expect(await run(heavy, 'a', { limit: 2n ** 90n })).toBe('"here"')
    expect(runs).toBe(2)
  })

  it('run on a worker thread for large and for unknown blocks, whose answers are not kept', async () => {
    const heavy = traces()
    for (const given of [{ ...block, work: SMALL_TRACE_GAS + 1n }, undefined]) {
      subject = given
      for (let i = 0; i < 2; i++) expect(await run(heavy, 'a')).toBe('"trace"')
    }
    expect([runs, workers.requests.length]).toEqual([0, 4])
  })

  it('leave most of the time to others', async () => {
    const heavy = traces()
    lastsMs = 1
    const startMs = nowMs
    for (let i = 0; i < 1000; i++) {
      nowMs += 0.25
      await run(heavy, i)
    }
    // A reserve of 20 ms, and a quarter of the other time.
    const allowed = 20 + (nowMs - startMs - runs) / 4
    expect(runs).toBeGreaterThan(allowed - 2)
    expect(runs).toBeLessThan(allowed + 2)
    expect(workers.requests).toHaveLength(1000 - runs)
    const before = runs
    nowMs += 1000
    lastsMs = 10_000
    await run(heavy, 'long')
    lastsMs = 8
    for (let i = 0; i < 10; i++) await run(heavy, `next ${i}`)
    expect(runs - before).toBeLessThan(10)
    // Equal requests do not wait.
    const after = runs
    expect(await run(heavy, 'long')).toBe('"here"')
    expect(runs).toBe(after)
  })

  it('run once for equal requests on a worker thread, too, while it stands in for this one', async () => {
    const heavy = traces()
    lastsMs = 30
    for (const name of ['first', 'second', 'third', 'fourth']) await run(heavy, name)
    const before = workers.requests.length
    expect(before).toBe(1)
    lastsMs = 0
    for (let i = 0; i < 3; i++) expect(await run(heavy, 'fourth')).toBe('"trace"')
    expect(workers.requests).toHaveLength(before)
  })

  it('run once for equal requests without worker threads, whatever their time', async () => {
    const heavy = new HeavyMethods({
      backend: {},
      profile: 'geth',
      clock,
      traces: new TraceResults(TRACE_RESULT_BYTES),
    })
    lastsMs = 30
    for (let i = 0; i < 10; i++) for (const name of ['a', 'b', 'c', 'd', 'e']) await run(heavy, name)
    expect(runs).toBe(5)
  })

  it('run again for equal requests when their answers do not fit', async () => {
    const heavy = new HeavyMethods({ backend: {}, profile: 'geth', clock, traces: new TraceResults(1000) })
    for (let i = 0; i < 2; i++) for (const name of ['a', 'b', 'c', 'd', 'e']) await run(heavy, name)
    expect(runs).toBe(10)
  })

  it('keep nothing when the block changed meanwhile', async () => {
    const heavy = traces()
    const result = heavy.run(method, [], new RpcRequestContext({ groups: new Set() }))
    subject = { ...block, key: 'other' }
    await textOf(result)
    subject = block
    await run(heavy)
    expect(runs).toBe(2)
  })

  it('answer when the block is no longer in memory at the end', async () => {
    const heavy = traces()
    const result = heavy.run(method, [], new RpcRequestContext({ groups: new Set() }))
    misses = true
    expect(await textOf(result)).toBe('"here"')
    expect(() => heavy.run(method, [], new RpcRequestContext({ groups: new Set() }))).toThrow(StoreMiss)
    misses = false
    await run(heavy)
    expect(runs).toBe(2)
  })

  it('keep short answers to short requests, within a bound', async () => {
    const heavy = traces()
    const long = 'a'.repeat(2000)
    for (let i = 0; i < 2; i++) await run(heavy, long)
    expect(runs).toBe(2)
    answer = `"${'x'.repeat(MAX_TRACE_RESULT_LENGTH - 2)}"`
    for (let i = 0; i < 2; i++) expect(await run(heavy, 1)).toBe(answer)
    expect(runs).toBe(3)
    for (let i = 0; i < TRACE_RESULT_BYTES / MAX_TRACE_RESULT_LENGTH; i++) await run(heavy, 10 + i)
    const before = runs
    await run(heavy, 1)
    expect(runs).toBe(before + 1)
    answer += ' '
    for (let i = 0; i < 2; i++) expect(await run(heavy, 2)).toBe(answer)
    expect(runs).toBe(before + 3)
  })
})

describe('traces of small blocks of the dev chain', () => {
  const ALICE = (DEV_ACCOUNTS[0] as { address: string }).address
  const STRANGER = '0x00000000000000000000000000000000000000aa'
  const workers = new FakeWorkers()
  let opened: OpenedNode
  beforeEach(async () => {
    workers.requests.length = 0
    // Traces take no time, so they need no rest.
    const clock = { now: () => Date.now(), monotonic: () => 0 }
    opened = await openDevNode({}, new MemoryStore(), { workers, clock })
  })
  afterEach(() => opened.node.close())
  const rpc = <T = unknown>(name: string, ...params: unknown[]): Promise<T> => opened.rpc<T>(name, ...params)
  const pay = (value: string) => rpc<string>('eth_sendTransaction', { from: ALICE, to: STRANGER, value })
  const prestate = async (hash: string) =>
    (await rpc<Record<string, { balance: string }>>('debug_traceTransaction', hash, { tracer: 'prestateTracer' }))[
      STRANGER
    ]?.balance

  const paidInHead = async () => (await rpc<[{ action: { value: string } }]>('trace_block', 'latest'))[0].action.value

  it('need no worker thread, whichever method', async () => {
    const hash = await pay('0x5')
    const { hash: block } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    const tracer = { tracer: 'callTracer' }
    const call = expect.objectContaining({ type: 'CALL', value: '0x5' })
    for (let i = 0; i < 2; i++) {
      expect(await rpc('debug_traceTransaction', hash, tracer)).toEqual(call)
      expect(await rpc('debug_traceBlockByHash', block, tracer)).toEqual([{ txHash: hash, result: call }])
      expect(await rpc('debug_traceBlockByNumber', '0x1', tracer)).toEqual([{ txHash: hash, result: call }])
      expect(await rpc('debug_traceTransaction', hash)).toMatchObject({ gas: 21_000, structLogs: [] })
      expect(await rpc('trace_transaction', hash)).toMatchObject([{ transactionHash: hash }])
      expect(await rpc('trace_get', hash, [])).toMatchObject({ transactionHash: hash })
      expect(await rpc('trace_block', 'latest')).toMatchObject([{ transactionHash: hash }, { type: 'reward' }])
      expect(await rpc('trace_replayTransaction', hash, ['trace'])).toMatchObject({ output: '0x' })
      expect(await rpc('trace_replayBlockTransactions', '0x1', ['vmTrace'])).toMatchObject([{ output: '0x' }])
    }
    expect(workers.requests).toEqual([])
  })

  it('follow the head, removed blocks and amendments', async () => {
    await pay('0x1')
    const snapshot = await rpc('evm_snapshot')
    const first = await pay('0x2')
    expect(await prestate(first)).toBe('0x1')
    expect(await paidInHead()).toBe('0x2')
    await rpc('evm_revert', snapshot)
    await expect(rpc('debug_traceTransaction', first, { tracer: 'prestateTracer' })).resolves.toBe(
      'debug_traceTransaction',
    )
    expect(await paidInHead()).toBe('0x1')
    await rpc('anvil_setBalance', STRANGER, '0x64')
    const again = await pay('0x2')
    expect(again).toBe(first)
    expect(await prestate(again)).toBe('0x64')
    const third = await pay('0x3')
    expect(await paidInHead()).toBe('0x3')
    await rpc('anvil_setBalance', STRANGER, '0x1')
    expect(await prestate(third)).toBe('0x66')
    expect(await prestate(await pay('0x4'))).toBe('0x1')
  })

  it('report errors like others', async () => {
    const hash = await pay('0x1')
    for (let i = 0; i < 2; i++) {
      await expect(rpc('debug_traceTransaction', hash, { tracer: 'unknown' })).rejects.toThrow('is not known')
      await expect(rpc('trace_replayTransaction', hash, ['odd'])).rejects.toThrow('trace types')
    }
    expect(await rpc('debug_traceBlockByNumber', '0x0', { tracer: 'callTracer' })).toBe('debug_traceBlockByNumber')
  })
})
