// slow: long traces
import { afterEach, describe, expect, it } from 'vitest'
import { serveHttp } from '../../../adapters/server/http/httpServer.ts'
import type { RequestWorkers, WorkerRequest } from '../../../src/base/ports/requestWorkers.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import type { NodeHost } from '../../../src/node/node.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { cpuTimeMs } from '../../support/host/cpuTime.ts'
import { ALICE, BOB, signed } from '../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const ALICE_ADDRESS = ALICE.address.toLowerCase()
/** SSTORE(0, SLOAD(0) + 1) */
const COUNTER = '0x600054600101600055'
const COUNTER_ADDRESS = `0x${'c0'.repeat(20)}` as const
/** JUMPDEST PUSH1 0 JUMP */
const LOOP = '0x5b600056'
const LOOP_ADDRESS = `0x${'1f'.repeat(20)}` as const
const UNKNOWN = `0x${'00'.repeat(31)}01`

interface Trace {
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
  readonly structLogs: readonly { readonly op: string; readonly stack: readonly string[] | null }[]
}

const nodes: OpenedNode[] = []
const servers: HttpServer[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  for (const { node } of nodes.splice(0)) await node.close()
})

async function open(options: Partial<NodeOptions> = {}, host: Partial<NodeHost> = {}): Promise<OpenedNode> {
  const dev = await openDevNode(options, new MemoryStore(), host)
  nodes.push(dev)
  await dev.rpc('anvil_setCode', COUNTER_ADDRESS, COUNTER)
  await dev.rpc('anvil_setCode', LOOP_ADDRESS, LOOP)
  return dev
}

const send = async ({ rpc }: OpenedNode, fields: Parameters<typeof signed>[1]): Promise<string> =>
  rpc('eth_sendRawTransaction', bytesToHex(await signed(ALICE, fields)))

const call = { to: COUNTER_ADDRESS, gas: 100_000n } as const

describe('debug_trace* of stored blocks', () => {
  it('trace a transaction and blocks, in the form of go-ethereum', async () => {
    const dev = await open()
    const hash = await send(dev, { nonce: 0, ...call })
    const trace = await dev.rpc<Trace>('debug_traceTransaction', hash)
    expect(trace).toMatchObject({ failed: false, returnValue: '0x' })
    expect(trace.structLogs.map(({ op }) => op)).toEqual(['PUSH1', 'SLOAD', 'PUSH1', 'ADD', 'PUSH1', 'SSTORE', 'STOP'])
    // As go-ethereum's gethclient writes them.
    const options = { Tracer: 'callTracer', Timeout: null, Reexec: null, TracerConfig: null }
    for (const traced of [
      await dev.rpc('debug_traceTransaction', hash, options),
      await dev.rpc('debug_traceCall', { from: ALICE.address, to: COUNTER_ADDRESS }, 'latest', options),
    ])
      expect(traced).toMatchObject({ type: 'CALL', to: COUNTER_ADDRESS })
    const block = await dev.rpc<{ hash: string; number: string }>('eth_getBlockByNumber', 'latest', false)
    const whole = [{ txHash: hash, result: trace }]
    expect(await dev.rpc('debug_traceBlockByNumber', block.number)).toEqual(whole)
    expect(await dev.rpc('debug_traceBlockByNumber', 'latest')).toEqual(whole)
    expect(await dev.rpc('debug_traceBlockByHash', block.hash)).toEqual(whole)
    expect(await dev.rpc('debug_traceBlock', await dev.rpc('debug_getRawBlock', 'latest'))).toEqual(whole)
  })

  it('trace in the form of Besu on request', async () => {
    const dev = await open({ 'rpc-profile': 'besu' })
    const hash = await send(dev, { nonce: 0, ...call })
    const trace = await dev.rpc<Trace>('debug_traceTransaction', hash, { disableStack: true, unknown: 1 })
    expect(trace.structLogs[0]).toMatchObject({ op: 'PUSH1', stack: null, memory: [], storage: {}, reason: null })
    expect(await dev.rpc('debug_traceBlockByNumber', 'latest', { disableStack: true })).toEqual([trace])
    for (const [method, param] of [
      ['debug_traceTransaction', UNKNOWN],
      ['debug_traceBlockByHash', UNKNOWN],
      ['debug_traceBlockByNumber', '0x999'],
      ['debug_traceBlockByNumber', 'earliest'],
    ] as const) {
      expect(await dev.rpc(method, param), method).toBeNull()
    }
    await expect(dev.rpc('debug_traceBlock', '0x01')).rejects.toMatchObject({ code: -32602 })
    await expect(dev.rpc('debug_traceBlock', 'no hex')).rejects.toMatchObject({ code: -32603 })
  })

  it('report missing blocks and transactions, in the form of go-ethereum', async () => {
    const dev = await open()
    const refused = (method: string, ...params: unknown[]) =>
      dev.rpc(method, ...params).then(
        () => '',
        ({ message }) => message,
      )
    expect(await refused('debug_traceTransaction', UNKNOWN)).toBe('transaction not found')
    expect(await refused('debug_traceBlockByHash', UNKNOWN)).toBe(`block ${UNKNOWN} not found`)
    expect(await refused('debug_traceBlockByNumber', '0x999')).toBe('block #2457 not found')
    expect(await refused('debug_traceBlockByNumber', '0x0')).toBe('genesis is not traceable')
    const raw = await dev.rpc<string>('debug_getRawBlock', '0x0')
    expect(await refused('debug_traceBlock', raw)).toBe('genesis is not traceable')
    const hash = await send(dev, { nonce: 0, ...call })
    expect(await refused('debug_traceTransaction', hash, { tracer: '{step: function() {}}' })).toMatch(
      /^this runtime has no engine for JavaScript tracers; /,
    )
    expect(await refused('debug_traceTransaction', hash, { timeout: 'soon' })).toMatch(/duration/)
    expect(await refused('debug_traceTransaction', hash, { tracer: 'callTracer', tracerConfig: 7 })).toMatch(/object/)
  })

  it('trace with a named tracer, even for an impersonated account', async () => {
    const dev = await open()
    await dev.rpc('anvil_impersonateAccount', COUNTER_ADDRESS)
    await dev.rpc('anvil_setBalance', COUNTER_ADDRESS, '0xde0b6b3a7640000')
    const transaction = { from: COUNTER_ADDRESS, to: BOB.address, value: '0x5', gas: '0x5208' }
    const hash = await dev.rpc('eth_sendTransaction', transaction)
    const options = { tracer: 'callTracer', reexec: 128, timeout: '1m30s' }
    const [traced] = await dev.rpc<{ txHash: string; result: unknown }[]>('debug_traceBlockByNumber', 'latest', options)
    expect(traced).toMatchObject({ txHash: hash, result: { from: COUNTER_ADDRESS, type: 'CALL', value: '0x5' } })
    const raw = await dev.rpc<string>('debug_getRawBlock', 'latest')
    expect(await dev.rpc('debug_traceBlock', raw, options)).toEqual([traced])
  })

  it('end at their time limit', async () => {
    const dev = await open()
    const hash = await send(dev, { nonce: 0, to: LOOP_ADDRESS, gas: 16_000_000n })
    await expect(
      dev.rpc('debug_traceTransaction', hash, { tracer: 'callTracer', timeout: '0s' }),
    ).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/timeout/),
    })
  })
})

describe('debug_traceCall', () => {
  it('traces on a block, with overrides', async () => {
    const dev = await open()
    await send(dev, { nonce: 0, ...call })
    const counted = { from: ALICE_ADDRESS, to: COUNTER_ADDRESS }
    const loaded = 2
    const stackAfterLoad = async (block: unknown, options = {}): Promise<string | undefined> =>
      (await dev.rpc<Trace>('debug_traceCall', counted, block, options)).structLogs[loaded]?.stack?.[0]
    expect(await stackAfterLoad('latest')).toBe('0x1')
    expect(await stackAfterLoad(null)).toBe('0x1')
    const head = await dev.rpc<{ hash: string; parentHash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(await stackAfterLoad({ blockHash: head.hash })).toBe('0x1')
    expect(await stackAfterLoad(head.parentHash)).toBe('0x0')
    const slots = { [`0x${'00'.repeat(32)}`]: `0x${'00'.repeat(31)}07` }
    expect(await stackAfterLoad('latest', { stateOverrides: { [COUNTER_ADDRESS]: { stateDiff: slots } } })).toBe('0x7')
    const number = { [COUNTER_ADDRESS]: { code: '0x4300' } }
    const overridden = { stateOverrides: number, blockOverrides: { number: '0x1234' } }
    const traced = await dev.rpc<Trace>('debug_traceCall', counted, 'latest', overridden)
    expect(traced.structLogs[1]?.stack).toEqual(['0x1234'])
  })

  it('refuses invalid calls, and returns a result for a failing one', async () => {
    const dev = await open()
    await expect(dev.rpc('debug_traceCall', { to: COUNTER_ADDRESS }, '0x999')).rejects.toMatchObject({ code: -32000 })
    const poor = { from: `0x${'77'.repeat(20)}`, to: COUNTER_ADDRESS, value: '0x1' }
    await expect(dev.rpc('debug_traceCall', poor, 'latest')).rejects.toMatchObject({ message: /insufficient funds/ })
    const failing = { to: COUNTER_ADDRESS, gas: '0x5dc0' }
    expect(await dev.rpc('debug_traceCall', failing, 'latest')).toMatchObject({ failed: true })
  })
})

describe('traces over HTTP', () => {
  async function serve(dev: OpenedNode) {
    const { policy, exchange, fetch: handle } = dev.node.endpoints.get('http')
    const server = await serveHttp({ host: '127.0.0.1', port: 0, policy, exchange, fetch: handle })
    servers.push(server)
    return (method: string, params: unknown[], init: RequestInit = {}): Promise<Response> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return fetch(`http://127.0.0.1:${server.port}`, { method: 'POST', body, ...init })
    }
  }

  it('are sent while they are produced, and end with the client', async () => {
    const dev = await open()
    const post = await serve(dev)
    const loop = { from: ALICE_ADDRESS, to: LOOP_ADDRESS, gas: '0x100000' }
    const trace = (await (await post('debug_traceCall', [loop, 'latest'])).json()).result as Trace
    expect(trace.failed).toBe(true)
    expect(trace.structLogs.length).toBeGreaterThan(200_000)

    const controller = new AbortController()
    const endless = { ...loop, gas: '0x5f00000' }
    const response = await post('debug_traceCall', [endless, 'latest'], { signal: controller.signal })
    const reader = response.body?.getReader()
    for (let bytes = 0; bytes < 10_000_000; ) bytes += (await reader?.read())?.value?.length ?? Number.POSITIVE_INFINITY
    controller.abort()
    const from = cpuTimeMs()
    expect((await (await post('eth_chainId', [])).json()).result).toBe('0x7a69')
    expect(cpuTimeMs() - from).toBeLessThan(500)
  })
})

describe('request workers', () => {
  class FakeWorkers implements RequestWorkers {
    readonly requests: WorkerRequest[] = []

    async run(request: WorkerRequest, sink: Parameters<RequestWorkers['run']>[1]): Promise<void> {
      this.requests.push(request)
      if (request.params[0] === UNKNOWN) throw new NodeError({ code: 'TRANSACTION_NOT_FOUND' }, 'transaction not found')
      sink.write(new TextEncoder().encode('["from '))
      if (sink.isFull) await sink.drained()
      sink.write(new TextEncoder().encode('afar"]'))
    }

    async close(): Promise<void> {}
  }

  it('receive only heavy requests', async () => {
    const workers = new FakeWorkers()
    const dev = await open({}, { workers })
    expect(await dev.rpc('debug_traceTransaction', `0x${'ab'.repeat(32)}`, { tracer: 'callTracer' })).toEqual([
      'from afar',
    ])
    await expect(dev.rpc('debug_traceTransaction', UNKNOWN)).rejects.toMatchObject({
      code: -32000,
      message: 'transaction not found',
    })
    expect(await dev.rpc('eth_chainId')).toBe('0x7a69')
    expect(workers.requests).toEqual([
      { method: 'debug_traceTransaction', params: [`0x${'ab'.repeat(32)}`, { tracer: 'callTracer' }] },
      { method: 'debug_traceTransaction', params: [UNKNOWN] },
    ])
  })

  it('leave requests to this thread when none can be started', async () => {
    const workers: RequestWorkers = {
      run: () => Promise.reject(new NodeError({ code: 'WORKERS_UNAVAILABLE' }, 'no worker thread')),
      close: async () => {},
    }
    const dev = await open({}, { workers })
    // Returns the 4 bytes 0xdeadbeef.
    const call = { data: '0x63deadbeef5f526004601cf3' }
    expect(await dev.rpc('debug_traceCall', call, 'latest', {})).toMatchObject({ returnValue: '0xdeadbeef' })
    expect(await dev.rpc('trace_call', call, ['trace'])).toMatchObject({ output: '0xdeadbeef' })
    await expect(dev.rpc('debug_traceTransaction', UNKNOWN)).rejects.toMatchObject({ code: -32000 })
  })
})
