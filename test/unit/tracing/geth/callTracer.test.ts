import { encodeAbiParameters, getContractAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { GETH_TRACERS, type TracerMaker } from '../../../../src/tracing/geth/index.ts'
import { openTracedChain } from '../../../support/chains/tracedChain.ts'
import { ALICE, signed } from '../../../support/nodes/devChain.ts'
import {
  at,
  CALLCODE,
  callTo,
  code,
  createFrom,
  DELEGATECALL,
  POP,
  put,
  returnBytes,
  revertWith,
  SELFDESTRUCT,
  SSTORE,
  STATICCALL,
} from './programs.ts'

interface Frame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly output?: string
  readonly value?: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly Frame[]
  readonly logs?: readonly { readonly index: string; readonly position: string }[]
}

const callTracer = GETH_TRACERS.get('callTracer') as TracerMaker
const FROM = ALICE.address.toLowerCase()
const STRANGER = at(0xeeeeee)
const BOOM = `0x08c379a0${encodeAbiParameters([{ type: 'string' }], ['boom "é"']).slice(2)}` as const
const OVERFLOW = `0x4e487b71${encodeAbiParameters([{ type: 'uint256' }], [0x11n]).slice(2)}` as const

/** One transaction to a contract at 0x1000. */
async function frameOf(
  contracts: Parameters<typeof openTracedChain>[0],
  fields: object = {},
  config?: unknown,
): Promise<Frame> {
  const chain = await openTracedChain(contracts)
  const raw = await signed(ALICE, { nonce: 0, to: at(0x1000) as `0x${string}`, gas: 1_000_000n, ...fields })
  const [frame] = await chain.trace<Frame>(callTracer(config), raw)
  return frame as Frame
}

/** The frames of calls to each of the contracts, all made by one. */
async function failures(...targets: readonly ReturnType<typeof code>[]): Promise<readonly Frame[]> {
  const contracts = Object.fromEntries(targets.map((target, i) => [at(0x2000 + i), target]))
  const calls = targets.flatMap((_, i) => callTo(at(0x2000 + i), { gas: 40_000n }))
  const { calls: frames } = await frameOf({ ...contracts, [at(0x1000)]: code(calls) })
  return frames ?? []
}

describe('callTracer', () => {
  it('shows a transfer with the gas of the transaction', async () => {
    const frame = await frameOf({}, { to: STRANGER, value: 5n })
    expect(frame).toEqual({
      from: FROM,
      gas: '0xf4240',
      gasUsed: '0x5208',
      to: STRANGER,
      input: '0x',
      value: '0x5',
      type: 'CALL',
    })
  })

  it("writes the members in go-ethereum's order", async () => {
    const frame = await frameOf({ [at(0x1000)]: code(callTo(STRANGER), revertWith(BOOM)) })
    const order = ['from', 'gas', 'gasUsed', 'to', 'input', 'output', 'error', 'revertReason', 'calls', 'value', 'type']
    expect(Object.keys(frame)).toEqual(order)
  })

  it('nests calls of every kind', async () => {
    const kinds = [undefined, CALLCODE, DELEGATECALL, STATICCALL]
    const { calls = [] } = await frameOf({
      [at(0x1000)]: code(kinds.flatMap((kind) => callTo(at(0x2000), { input: '0xaabbccdd', ...(kind && { kind }) }))),
      [at(0x2000)]: code(callTo(STRANGER), returnBytes('0x1234')),
    })
    expect(calls.map(({ type, from, to, value, output }) => [type, from, to, value, output])).toEqual([
      ['CALL', at(0x1000), at(0x2000), '0x0', '0x1234'],
      ['CALLCODE', at(0x1000), at(0x2000), '0x0', '0x1234'],
      ['DELEGATECALL', at(0x1000), at(0x2000), '0x0', '0x1234'],
      ['STATICCALL', at(0x1000), at(0x2000), undefined, '0x1234'],
    ])
    // The caller is the account that the calling frame works on.
    expect(calls.map((call) => call.calls?.[0]?.from)).toEqual([at(0x2000), at(0x1000), at(0x1000), at(0x2000)])
    expect(calls.every((call) => call.input === '0xaabbccdd')).toBe(true)
  })

  it("reports failures of calls in go-ethereum's wording", async () => {
    const frames = await failures(
      code(revertWith(BOOM)),
      code(revertWith(OVERFLOW)),
      code(revertWith('0xdeadbeef')),
      code(0n, 0n, 0xfd),
      code(0xfe),
      code(0x0c),
      code(1n, 0x01),
      code(1n, 0n, 0x56),
      code(0x5b, 0n, 0x56),
      code(5n, 0n, 0n, 0x3e),
      code(0x5b, 1n, 0n, 0x56),
    )
    expect(frames.map(({ error, revertReason }) => [error, revertReason])).toEqual([
      ['execution reverted', 'boom "é"'],
      ['execution reverted', 'arithmetic underflow or overflow'],
      ['execution reverted', undefined],
      ['execution reverted', undefined],
      ['invalid opcode: INVALID', undefined],
      ['invalid opcode: opcode 0xc not defined', undefined],
      ['stack underflow (1 <=> 2)', undefined],
      ['invalid jump destination', undefined],
      ['out of gas', undefined],
      ['return data out of bounds', undefined],
      ['stack limit reached 1024 (1023)', undefined],
    ])
    expect(frames.map(({ output }) => output)).toEqual([BOOM, OVERFLOW, '0xdeadbeef', ...Array(8).fill(undefined)])
    expect(frames.slice(4).every(({ gas, gasUsed }) => gas === gasUsed)).toBe(true)
  })

  it('reports violations of call restrictions', async () => {
    const { calls } = await frameOf(
      {
        [at(0x1000)]: code(
          callTo(at(0x2000), { kind: STATICCALL, gas: 50_000n }),
          callTo(STRANGER, { value: 10n ** 30n }),
          callTo(at(0x2000), { gas: 0n, value: 1n }),
        ),
        [at(0x2000)]: code(1n, 1n, SSTORE),
      },
      { value: 1n },
    )
    expect(calls?.map(({ error }) => error)).toEqual([
      'write protection',
      'insufficient balance for transfer',
      'out of gas: not enough gas for reentrancy sentry',
    ])
    expect(calls?.[1]?.gasUsed).toBe('0x0')
  })

  it('distinguishes an SSTORE below the sentry from one without enough gas', async () => {
    const { calls } = await frameOf({
      [at(0x1000)]: code(
        callTo(at(0x2000), { gas: 2307n }),
        callTo(at(0x2000), { gas: 2306n }),
        callTo(at(0x3000), { gas: 30_000n }),
      ),
      [at(0x2000)]: code(1n, 1n, SSTORE),
      // Leaves it only a 64th of its gas.
      [at(0x3000)]: code(callTo(at(0x4000), { gas: 30_000n }), 1n, 1n, SSTORE),
      [at(0x4000)]: code(0xfe),
    })
    expect(calls?.map(({ error }) => error)).toEqual([
      'out of gas',
      'out of gas: not enough gas for reentrancy sentry',
      'out of gas: not enough gas for reentrancy sentry',
    ])
  })

  it('lists calls of precompiles', async () => {
    const { calls } = await frameOf({
      [at(0x1000)]: code(
        callTo(at(4), { input: '0x010203' }),
        callTo(at(4), { input: '0x010203', gas: 3n }),
        callTo(at(9), { input: '0x01', gas: 5000n }),
      ),
    })
    expect(calls?.map(({ to, output, error }) => [to, output, error])).toEqual([
      [at(4), '0x010203', undefined],
      [at(4), undefined, 'out of gas'],
      [at(9), undefined, 'invalid input length'],
    ])
  })

  it('omits the address of failed creations', async () => {
    const chain = await openTracedChain({
      [at(0x1000)]: code(
        createFrom(returnBytes('0x00'), { salt: 5n }),
        createFrom(revertWith(BOOM)),
        createFrom([], { value: 1n }),
      ),
      [at(0x2000)]: code(createFrom([], { salt: 5n }), createFrom([], { salt: 5n })),
      [at(0x3000)]: code(createFrom(returnBytes('0xef00'))),
      [at(0x4000)]: code(createFrom([0x6001n, 0n, 0xf3])),
      [at(0x5000)]: code(createFrom([0x400n, 0n, 0xf3])),
      [at(0x6000)]: code([0xc001n, 0n, 0n, 0xf0]),
    })
    const targets = [0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000]
    const raw = targets.map((to, nonce) =>
      signed(ALICE, { nonce, to: at(to) as `0x${string}`, gas: to === 0x4000 ? 9_000_000n : 200_000n }),
    )
    const frames = await chain.trace<Frame>(callTracer(undefined), ...(await Promise.all(raw)))
    const creations = frames.flatMap(({ calls = [] }) => calls.map(({ type, to, error }) => [type, to, error]))
    expect(creations).toEqual([
      ['CREATE2', expect.any(String), undefined],
      ['CREATE', undefined, 'execution reverted'],
      ['CREATE', undefined, 'insufficient balance for transfer'],
      ['CREATE2', expect.any(String), undefined],
      ['CREATE2', undefined, 'contract address collision'],
      ['CREATE', undefined, 'invalid code: must not begin with 0xef'],
      ['CREATE', undefined, 'max code size exceeded'],
      ['CREATE', undefined, 'contract creation code storage out of gas'],
    ])
    expect(frames.at(-1)?.error).toBe('out of gas: max initcode size exceeded: size 49153')
  })

  it('shows creations by transactions', async () => {
    const init = '0x600160005360016000f3'
    const frame = await frameOf({}, { to: undefined, data: init, value: 0n })
    const to = getContractAddress({ from: ALICE.address, nonce: 0n }).toLowerCase()
    expect(frame).toMatchObject({ type: 'CREATE', to, input: init, output: '0x01' })
    const failed = await frameOf({}, { to: undefined, data: '0xfe' })
    expect(failed).not.toHaveProperty('to')
    expect(failed).toMatchObject({ type: 'CREATE', gasUsed: '0xf4240', error: 'invalid opcode: INVALID' })
  })

  it('shows self-destructs as calls', async () => {
    const { calls } = await frameOf(
      {
        [at(0x1000)]: code(callTo(at(0x2000), { value: 3n })),
        [at(0x2000)]: code(BigInt(STRANGER), SELFDESTRUCT),
      },
      { value: 3n },
    )
    const from = at(0x2000)
    expect(calls?.[0]?.calls).toEqual([
      { type: 'SELFDESTRUCT', from, to: STRANGER, value: '0x3', gas: '0x0', gasUsed: '0x0', input: '0x' },
    ])
  })

  it('shows only the root with onlyTopCall', async () => {
    const contracts = { [at(0x1000)]: code(callTo(STRANGER), 0n, SELFDESTRUCT) }
    expect(await frameOf(contracts, {}, { onlyTopCall: true })).not.toHaveProperty('calls')
  })

  it('shows logs that were not reverted, with withLog', async () => {
    const log = [0n, 0n, 0xa0]
    const chain = await openTracedChain({
      [at(0x1000)]: code(log, callTo(at(0x2000)), log, callTo(at(0x3000)), log),
      [at(0x2000)]: code(log, callTo(at(0x3000)), 0n, 0n, 0xfd),
      [at(0x3000)]: code(put('0x1122'), 0xbbn, 0xaan, 2n, 0n, 0xa2),
    })
    const to = at(0x1000) as `0x${string}`
    const raw = await Promise.all([0, 1].map((nonce) => signed(ALICE, { nonce, to, gas: 300_000n })))
    const [first, second] = await chain.trace<Frame>(callTracer({ withLog: true }), ...raw)
    expect(first?.logs?.map(({ index, position }) => [index, position])).toEqual([
      ['0x0', '0x0'],
      ['0x1', '0x1'],
      ['0x3', '0x2'],
    ])
    expect(first?.calls?.[0]).not.toHaveProperty('logs')
    expect(first?.calls?.[0]?.calls?.[0]).not.toHaveProperty('logs')
    expect(first?.calls?.[1]?.logs).toEqual([
      {
        address: at(0x3000),
        topics: [`0x${'aa'.padStart(64, '0')}`, `0x${'bb'.padStart(64, '0')}`],
        data: '0x1122',
        index: '0x2',
        position: '0x0',
      },
    ])
    expect(second?.logs?.[0]?.index).toBe('0x4')
  })

  it('fails when it exceeds its memory limit', async () => {
    const calls = Array.from({ length: 80 }, () => [0n, 0n, 0x100000n, 0n, BigInt(STRANGER), 0n, STATICCALL, POP])
    const traced = frameOf({ [at(0x1000)]: code(calls.flat()) }, { gas: 5_000_000n })
    await expect(traced).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
  })

  it('requires boolean flags', () => {
    expect(() => callTracer({ withLog: 1 })).toThrow('tracerConfig: withLog: expected true or false, got 1')
    expect(() => callTracer([])).toThrow('tracerConfig: expected an object, got an array of 0')
    expect(() => callTracer({ onlyTopCall: null, timeout: '5s' })).not.toThrow()
  })
})
