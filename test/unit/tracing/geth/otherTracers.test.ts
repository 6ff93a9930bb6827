import { describe, expect, it } from 'vitest'
import { StoreMiss } from '../../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { JsonWriter } from '../../../../src/base/primitives/jsonWriter.ts'
import type { MessageResult } from '../../../../src/evm/evm.ts'
import type { TraceState } from '../../../../src/tracing/contract.ts'
import { GETH_TRACERS, type TracerMaker } from '../../../../src/tracing/geth/index.ts'
import { transactionHash } from '../../../../src/types/transactionCodec.ts'
import { openTracedChain } from '../../../support/chains/tracedChain.ts'
import { CONTRACT, environmentOf, SENDER } from '../../../support/evm/evm.ts'
import { ALICE, plannedOf, signed } from '../../../support/nodes/devChain.ts'
import { at, callTo, code, createFrom, DELEGATECALL, revertWith, SELFDESTRUCT, STATICCALL } from './programs.ts'

type Contracts = Parameters<typeof openTracedChain>[0]

const makerOf = (name: string): TracerMaker => GETH_TRACERS.get(name) as TracerMaker
const FROM = ALICE.address.toLowerCase()
const STRANGER = at(0xeeeeee)
const call = (nonce: number, fields: object = {}): Promise<Uint8Array> =>
  signed(ALICE, { nonce, to: at(0x1000) as `0x${string}`, gas: 1_000_000n, ...fields })

async function resultOf<T>(name: string, contracts: Contracts, config?: unknown, fields?: object): Promise<T> {
  const chain = await openTracedChain(contracts)
  const [value] = await chain.trace<T>(makerOf(name)(config), await call(0, fields))
  return value as T
}

describe('4byteTracer', () => {
  it('counts selectors with the size of the arguments', async () => {
    const contracts = {
      [at(0x1000)]: code(
        callTo(STRANGER, { input: '0x11223344' }),
        callTo(STRANGER, { input: '0x11223344', kind: STATICCALL }),
        callTo(STRANGER, { input: '0x1122334455', kind: DELEGATECALL }),
        callTo(STRANGER, { input: '0x112233' }),
        callTo(at(2), { input: '0xaabbccdd' }),
        createFrom([0n, 0n, 0n, 0n, 0xfd]),
      ),
    }
    const value = await resultOf('4byteTracer', contracts, undefined, { data: '0xcafebabe00' })
    expect(value).toEqual({ '0x11223344-0': 2, '0x11223344-1': 1, '0xcafebabe-1': 1 })
    expect(Object.keys(value as object)).toEqual(['0x11223344-0', '0x11223344-1', '0xcafebabe-1'])
  })

  it('counts no functions of precompiles and creations', async () => {
    expect(await resultOf('4byteTracer', {}, undefined, { to: at(4), data: '0x1122334455' })).toEqual({})
    expect(await resultOf('4byteTracer', {}, undefined, { to: undefined, data: '0x6000600000' })).toEqual({})
  })
})

interface FlatEntry {
  readonly action: Readonly<Record<string, string>>
  readonly blockHash: string
  readonly error?: string
  readonly result?: Readonly<Record<string, string>>
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly transactionPosition: number
  readonly type: string
}

describe('flatCallTracer', () => {
  const contracts = {
    [at(0x1000)]: code(
      callTo(at(4), { input: '0x01' }),
      callTo(at(0x2000), { input: '0xaa' }),
      callTo(at(0x3000), { kind: STATICCALL }),
      createFrom([0x00]),
      [BigInt(STRANGER), SELFDESTRUCT],
    ),
    [at(0x2000)]: code(callTo(STRANGER), revertWith('0x1234')),
    [at(0x3000)]: code(1n, 0x01),
  }

  it('lists calls before their children', async () => {
    const entries = await resultOf<FlatEntry[]>('flatCallTracer', contracts)
    const order = entries.map(({ type, traceAddress, subtraces, error }) => [type, traceAddress, subtraces, error])
    expect(order).toEqual([
      ['call', [], 4, undefined],
      ['call', [0], 1, 'execution reverted'],
      ['call', [0, 0], 0, undefined],
      ['call', [1], 0, 'stack underflow (1 <=> 2)'],
      ['create', [2], 0, undefined],
      ['suicide', [3], 0, undefined],
    ])
  })

  it('shows action and result of each kind', async () => {
    const [, reverted, , halted, created, destroyed] = await resultOf<FlatEntry[]>('flatCallTracer', contracts)
    expect(reverted?.action).toEqual({
      callType: 'call',
      from: at(0x1000),
      gas: '0x186a0',
      input: '0xaa',
      to: at(0x2000),
      value: '0x0',
    })
    expect(reverted?.result).toEqual({ gasUsed: expect.any(String), output: '0x1234' })
    expect(halted).not.toHaveProperty('result')
    expect(halted?.action).toMatchObject({ callType: 'staticcall', value: '0x0' })
    expect(created?.action).toMatchObject({ creationMethod: 'create', from: at(0x1000), init: '0x00', value: '0x0' })
    expect(created?.result).toMatchObject({ address: expect.any(String), code: '0x' })
    expect(destroyed?.action).toEqual({ address: at(0x1000), balance: '0x0', refundAddress: STRANGER })
    expect(destroyed).not.toHaveProperty('result')
  })

  it("includes precompiles and uses Parity's wording on request", async () => {
    const config = { includePrecompiles: true, convertParityErrors: true }
    const entries = await resultOf<FlatEntry[]>('flatCallTracer', contracts, config)
    expect(entries[1]?.action['to']).toBe(at(4))
    expect(entries.map(({ error }) => error).filter((error) => error !== undefined)).toEqual([
      'Reverted',
      'Stack underflow',
    ])
  })

  it('shows the position of the transaction', async () => {
    const chain = await openTracedChain(contracts)
    const raw = await Promise.all([0, 1].map((nonce) => call(nonce)))
    const [, entries] = await chain.trace<FlatEntry[]>(makerOf('flatCallTracer')(undefined), ...raw)
    const hash = transactionHash(plannedOf(raw[1] as Uint8Array).transaction)
    expect(entries?.[0]).toMatchObject({
      blockHash: bytesToHex(chain.chain.head.hash),
      blockNumber: 1,
      transactionHash: bytesToHex(hash),
      transactionPosition: 1,
    })
  })
})

describe('muxTracer', () => {
  const contracts = { [at(0x1000)]: code(callTo(STRANGER, { input: '0x11223344' }), 1n, 0x54) }

  it("returns each tracer's own result, by name", async () => {
    const configs = { prestateTracer: { disableCode: true }, callTracer: { withLog: true }, '4byteTracer': null }
    const value = await resultOf<Record<string, unknown>>('muxTracer', contracts, { ...configs, noopTracer: {} })
    expect(Object.keys(value)).toEqual(['4byteTracer', 'callTracer', 'noopTracer', 'prestateTracer'])
    for (const [name, config] of Object.entries(configs)) {
      expect(value[name]).toEqual(await resultOf(name, contracts, config))
    }
    expect(value['noopTracer']).toEqual({})
  })

  it('runs nothing without tracers', async () => {
    expect(await resultOf('muxTracer', contracts)).toEqual({})
  })

  it('nests to a limited depth', async () => {
    const value = await resultOf('muxTracer', contracts, { muxTracer: { '4byteTracer': {} } })
    expect(value).toEqual({ muxTracer: { '4byteTracer': { '0x11223344-0': 1 } } })
    const nested = (depth: number): object => (depth === 0 ? {} : { muxTracer: nested(depth - 1) })
    expect(() => makerOf('muxTracer')(nested(100))).toThrow('tracerConfig: unknown tracer muxTracer')
  })

  it('names unknown tracers', () => {
    expect(() => makerOf('muxTracer')({ myTracer: {} })).toThrow('tracerConfig: unknown tracer myTracer')
    expect(() => makerOf('muxTracer')({ callTracer: { withLog: 'x' } })).toThrow('withLog')
  })
})

describe('noopTracer', () => {
  it('records nothing', async () => {
    expect(await resultOf('noopTracer', {}, undefined, { to: FROM })).toEqual({})
  })
})

describe('a tracer with missing state', () => {
  it('writes nothing before all data is loaded', () => {
    let text = ''
    const write = (chunk: Uint8Array): void => {
      text += new TextDecoder().decode(chunk)
    }
    const out = new JsonWriter({ write, isFull: false, drained: async () => {} })
    const tracer = makerOf('muxTracer')({ callTracer: {}, prestateTracer: { includeEmpty: true } })(out)
    const fetched = new Set<string>()
    const missing = (address: Uint8Array): undefined => {
      const key = bytesToHex(address)
      if (fetched.has(key)) return undefined
      fetched.add(key)
      throw new StoreMiss({ kind: 'keys', keys: [address] })
    }
    const view: TraceState = {
      getAccount: missing,
      getCode: () => new Uint8Array(0),
      getStorage: () => new Uint8Array(32),
    }
    const { block, rules } = environmentOf()
    const input = new Uint8Array(0)
    const gas = { gasLimit: 21_000n, gasPrice: 1n, intrinsicGas: 21_000n }
    const transaction = { hash: undefined, from: SENDER, to: CONTRACT, value: 0n, input, ...gas }
    tracer.begin({ transaction, rules, block, before: view, now: view })
    const start = { kind: 'CALL', depth: 0, caller: SENDER, address: CONTRACT, target: CONTRACT } as const
    tracer.hooks?.enter?.({ ...start, value: 0n, gas: 0, input, runs: 'nothing' })
    tracer.hooks?.exit?.({ depth: 0, outcome: 'success', atDeposit: false, gasUsed: 0, output: input })
    const end = { result: { selfDestructs: [] } as Partial<MessageResult> as MessageResult, changed: [] }
    const finish = () => tracer.end({ ...end, gasUsed: 21_000n, gasUsedBeforeRefund: 21_000n })
    for (let round = 0; round < 3; round++) expect(finish).toThrow(StoreMiss)
    finish()
    out.flush()
    expect(Object.keys(JSON.parse(text).prestateTracer)).toHaveLength(3)
  })
})
