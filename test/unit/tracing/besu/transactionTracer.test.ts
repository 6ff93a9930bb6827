import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { type TraceTypes, TransactionTracer } from '../../../../src/tracing/besu/transactionTracer.ts'
import { openTracedChain } from '../../../support/chains/tracedChain.ts'
import { ALICE, BOB, signed } from '../../../support/nodes/devChain.ts'
import {
  at,
  CALL,
  CALLCODE,
  callTo,
  code,
  createFrom,
  DELEGATECALL,
  POP,
  type Program,
  put,
  returnBytes,
  revertWith,
  SELFDESTRUCT,
  SSTORE,
  STATICCALL,
} from '../geth/programs.ts'

interface Step {
  readonly pc: number
  readonly cost: number
  readonly ex: {
    readonly mem: { readonly data: string; readonly off: number } | null
    readonly push: readonly string[]
    readonly store: { readonly key: string; readonly val: string } | null
    readonly used: number
  } | null
  readonly sub: VmTrace | null
}

interface VmTrace {
  readonly code: string
  readonly ops: readonly Step[]
}

interface Entry {
  readonly action: Record<string, string>
  readonly result?: Record<string, string> | null
  readonly error?: string
  readonly revertReason?: string
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly type: string
}

interface Trace {
  readonly output: string
  readonly revertReason?: string
  readonly stateDiff: Record<string, Record<string, unknown>> | null
  readonly trace: readonly Entry[]
  readonly vmTrace: VmTrace | null
}

const ALL: TraceTypes = { trace: true, vmTrace: true, stateDiff: true }
const MAIN = at(0x1000)
const GAS = 1_000_000n
/** After intrinsic gas. */
const MESSAGE_GAS = Number(GAS) - 21_000
const FROM = ALICE.address.toLowerCase()

async function traceOf(
  contracts: Parameters<typeof openTracedChain>[0],
  fields: object = {},
  types: TraceTypes = ALL,
): Promise<Trace> {
  const chain = await openTracedChain(contracts)
  const raw = await signed(ALICE, { nonce: 0, to: MAIN as `0x${string}`, gas: GAS, ...fields })
  const [trace] = await chain.trace<Trace>((out) => new TransactionTracer(out, types, new Uint8Array(32)), raw)
  return trace as Trace
}

function program(...parts: readonly (Program | number | bigint)[]): ReturnType<typeof code> {
  return code(...parts)
}

async function stepsOf(...parts: readonly (Program | number | bigint)[]): Promise<readonly Step[]> {
  return (await traceOf({ [MAIN]: program(...parts) })).vmTrace?.ops ?? []
}

describe('the object of a transaction', () => {
  it('has null and an empty list for traces that were not requested', async () => {
    const trace = await traceOf({}, {}, { trace: false, vmTrace: false, stateDiff: false })
    expect(trace).toEqual({
      output: '0x',
      stateDiff: null,
      trace: [],
      transactionHash: `0x${'00'.repeat(32)}`,
      vmTrace: null,
    })
  })

  it('shows the revert reason of a transaction, but no output', async () => {
    const trace = await traceOf({ [MAIN]: program(revertWith('0x010203')) })
    expect(trace).toMatchObject({ output: '0x', revertReason: '0x010203' })
    expect(trace.trace[0]).toMatchObject({ error: 'Reverted', revertReason: '0x010203' })
    expect(trace.trace[0]).not.toHaveProperty('result')
  })
})

describe('a call of the target of privacy markers', () => {
  it('costs no more than the access to the account', async () => {
    const chain = await openTracedChain({ [MAIN]: program(0n, 0n, 0n, 0n, 0n, 0x7en, 50_000n, CALL) })
    const raw = await signed(ALICE, { nonce: 0, to: MAIN as `0x${string}`, gas: GAS })
    const markerTarget = new Uint8Array(20)
    markerTarget[19] = 0x7e
    const [trace] = await chain.trace<Trace>((out) => new TransactionTracer(out, ALL, undefined, markerTarget), raw)
    expect(trace?.vmTrace?.ops.find(({ sub }) => sub !== null)).toMatchObject({
      cost: 2600,
      sub: { code: '0x', ops: [] },
    })
  })
})

describe('flat traces', () => {
  it('have a transfer with no gas used', async () => {
    const { trace } = await traceOf({}, { to: BOB.address, value: 5n })
    expect(trace).toEqual([
      {
        action: {
          callType: 'call',
          from: FROM,
          gas: `0x${MESSAGE_GAS.toString(16)}`,
          input: '0x',
          to: BOB.address.toLowerCase(),
          value: '0x5',
        },
        result: { gasUsed: '0x0', output: '0x' },
        subtraces: 0,
        traceAddress: [],
        type: 'call',
      },
    ])
  })

  it('list parents before children, with trace addresses', async () => {
    const { trace } = await traceOf({
      [MAIN]: program(callTo(at(0x2000)), callTo(at(0x3000))),
      [at(0x2000)]: program(callTo(at(0x3000)), callTo(at(0x3000))),
    })
    expect(trace.map((entry) => [entry.traceAddress, entry.subtraces])).toEqual([
      [[], 2],
      [[0], 2],
      [[0, 0], 0],
      [[0, 1], 0],
      [[1], 0],
    ])
  })

  it('name the storage owner as caller, and the code as callee, of CALLCODE and DELEGATECALL', async () => {
    const { trace } = await traceOf(
      {
        [MAIN]: program(callTo(at(0x2000), { kind: DELEGATECALL }), callTo(at(0x2000), { kind: CALLCODE, value: 1n })),
        [at(0x2000)]: program(callTo(at(0x3000))),
      },
      { value: 7n },
    )
    expect(trace.map(({ action }) => [action['callType'], action['from'], action['to'], action['value']])).toEqual([
      ['call', FROM, MAIN, '0x7'],
      ['delegatecall', MAIN, at(0x2000), '0x7'],
      ['call', MAIN, at(0x3000), '0x0'],
      ['callcode', MAIN, at(0x2000), '0x1'],
      ['call', MAIN, at(0x3000), '0x0'],
    ])
  })

  it('leave out precompiled contracts, and calls and creations that cannot be paid', async () => {
    const { trace } = await traceOf({
      [MAIN]: program(
        callTo(at(4)),
        callTo(at(0x3000), { value: 1n }),
        createFrom([0x00], { value: 1n }),
        callTo(at(0x4000), { kind: STATICCALL }),
      ),
    })
    expect(trace.map(({ action }) => action['to'])).toEqual([MAIN, at(0x4000)])
    expect(trace[0]?.subtraces).toBe(1)
    expect(trace[1]?.traceAddress).toEqual([0])
  })

  it('have one entry for a transaction to a precompiled contract, without its output', async () => {
    const { trace } = await traceOf({}, { to: at(2) })
    expect(trace).toHaveLength(1)
    expect(trace[0]).toMatchObject({ result: { gasUsed: '0x3c', output: '0x' }, subtraces: 0 })
  })

  it('describe the halt of a call, and do not mark its caller', async () => {
    const halts: readonly [ReturnType<typeof code>, string][] = [
      [program(0xfe), 'Bad instruction'],
      [program(POP), 'Stack underflow'],
      [program(0n, 0x56), 'Bad jump destination'],
      [program(0n, 0n, 0n, 0n, 0n, 0x3e, 1n, 0n, 0n, 0x3e), 'Out of bounds'],
      [program(1n, 10_000_000n, 0x52), 'Out of gas'],
    ]
    const contracts = Object.fromEntries(halts.map(([target], i) => [at(0x2000 + i), target]))
    const calls = halts.map((_, i) => callTo(at(0x2000 + i), { gas: 40_000n }))
    const { trace } = await traceOf({ ...contracts, [MAIN]: program(...calls) })
    expect(trace[0]).not.toHaveProperty('error')
    expect(trace.slice(1).map(({ error }) => error)).toEqual(halts.map(([, error]) => error))
    expect(trace.slice(1).filter((entry) => 'result' in entry)).toEqual([])
  })

  it('show creations with their code, and include the deposit in the gas', async () => {
    const { trace } = await traceOf({ [MAIN]: program(createFrom(returnBytes(`0x${'00'.repeat(10)}`))) })
    const [, entry] = trace
    expect(entry).toMatchObject({
      action: { creationMethod: 'create', from: MAIN, value: '0x0' },
      result: { code: `0x${'00'.repeat(10)}` },
      type: 'create',
    })
    expect(Object.keys(entry?.result ?? {}).sort()).toEqual(['address', 'code', 'gasUsed'])
    expect(Number(entry?.result?.['gasUsed'])).toBeGreaterThan(2000)
  })

  it('show a creation at an occupied address as out of gas', async () => {
    const twice = createFrom(returnBytes('0x00'), { salt: 1n })
    const { trace } = await traceOf({ [MAIN]: program(twice, twice) })
    expect(trace.map(({ action, error }) => [action['creationMethod'], error])).toEqual([
      [undefined, undefined],
      ['create2', undefined],
      ['create2', 'Out of gas'],
    ])
  })

  it('are bounded in size', async () => {
    // Calls with a million bytes of input in a loop.
    const loop = program(0x5b, 0n, 0n, 1_000_000n, 0n, 0n, BigInt(at(0x3000)), 0n, CALL, POP, 0n, 0x56)
    const traced = traceOf({ [MAIN]: loop }, { gas: 4_000_000n }, { trace: true, vmTrace: false, stateDiff: false })
    await expect(traced).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
  })

  it('list self-destructs below the frame that executed them', async () => {
    const { trace } = await traceOf({
      [MAIN]: program(callTo(at(0x2000))),
      [at(0x2000)]: { ...program(BigInt(at(0x5000)), SELFDESTRUCT), balance: 9n },
    })
    expect(trace[2]).toEqual({
      action: { address: at(0x2000), balance: '0x9', refundAddress: at(0x5000) },
      result: null,
      subtraces: 0,
      traceAddress: [0, 0],
      type: 'suicide',
    })
    expect(trace[1]?.subtraces).toBe(1)
  })
})

describe('vmTrace', () => {
  it('has every step with the items that it pushes, deepest first', async () => {
    const steps = await stepsOf(1n, 2n, 0x80, 0x91, 0x01, 0x15)
    expect(steps.map(({ ex }) => ex?.push)).toEqual([
      ['0x1'],
      ['0x2'],
      ['0x2', '0x2'],
      ['0x2', '0x2', '0x1'],
      ['0x3'],
      ['0x0'],
    ])
    expect(steps.map(({ pc, cost, sub }) => [pc, cost, sub])).toEqual([
      [0, 3, null],
      [2, 3, null],
      [4, 3, null],
      [5, 3, null],
      [6, 3, null],
      [7, 3, null],
    ])
    expect(steps.at(-1)?.ex?.used).toBe(MESSAGE_GAS - 18)
  })

  it('shows memory and storage that a step has written', async () => {
    const steps = await stepsOf(0x1234n, 64n, 0x52, 0xabn, 3n, 0x53, 5n, 6n, SSTORE, 64n, 0x51, 0n, 0n, 0n, 0x37)
    const written = steps.filter(({ ex }) => ex?.mem !== null || ex?.store !== null)
    expect(written.map(({ ex }) => [ex?.mem, ex?.store])).toEqual([
      [{ data: `0x${'1234'.padStart(64, '0')}`, off: 64 }, null],
      [{ data: '0xab', off: 3 }, null],
      [null, { key: '0x6', val: '0x5' }],
      [{ data: `0x${'1234'.padStart(64, '0')}`, off: 64 }, null],
    ])
  })

  it('omits the implicit STOP after the code, and the STOP of a transaction that does nothing else', async () => {
    expect((await stepsOf(1n)).map(({ pc }) => pc)).toEqual([0])
    expect((await stepsOf(1n, 0x00)).map(({ pc }) => pc)).toEqual([0, 2])
    expect(await traceOf({ [MAIN]: program(0x00) })).toMatchObject({ vmTrace: { code: '0x00', ops: [] } })
  })

  it('omits the step that halts, except for bad jumps and insufficient gas', async () => {
    expect((await stepsOf(1n, 0xfe)).map(({ pc }) => pc)).toEqual([0])
    expect((await stepsOf(1n, 0x56)).map(({ pc, cost }) => [pc, cost])).toEqual([
      [0, 3],
      [2, 8],
    ])
    const [, , unpaid] = await stepsOf(1n, 20_000_000n, 0x52)
    expect(unpaid?.ex?.used).toBe(MESSAGE_GAS - 6 - (unpaid?.cost ?? 0))
    expect(unpaid?.ex?.used).toBeLessThan(0)
  })

  it('has no result for a step that ran out of gas in a called frame', async () => {
    const { vmTrace } = await traceOf({
      [MAIN]: program(callTo(at(0x2000), { gas: 100n })),
      [at(0x2000)]: program(1n, 2n, SSTORE),
    })
    const sub = vmTrace?.ops.find((step) => step.sub !== null)?.sub
    expect(sub?.ops.map(({ pc, ex }) => [pc, ex === null])).toEqual([
      [0, false],
      [2, false],
      [4, true],
    ])
  })

  it('nests the called frame, and includes its gas in the cost of the step', async () => {
    const callee = program(returnBytes('0x07'))
    const [, , , , , , call, pop] = await stepsAndCallee(callee)
    expect(call?.sub?.code).toBe(bytesToHex(callee.code))
    const inside = call?.sub?.ops ?? []
    const [first] = inside
    expect(inside.flatMap(({ ex }) => ex?.push)).toEqual([`0x7${'0'.repeat(62)}`, '0x0', '0x1', '0x0'])
    // Cold account, memory, and forwarded gas.
    expect(call?.cost).toBe(2600 + 3 + 100_000)
    expect(first?.ex?.used).toBe(100_000 - 3)
    expect(call?.ex).toMatchObject({ mem: { data: '0x0700', off: 1 }, push: ['0x1'], store: null })
    expect(pop?.ex?.used).toBe((call?.ex?.used ?? 0) - 2)
  })

  /** STATICCALL with an output area of two bytes at 1. */
  async function stepsAndCallee(callee: ReturnType<typeof code>): Promise<readonly Step[]> {
    const call = [2n, 1n, 0n, 0n, BigInt(at(0x2000)), 100_000n, STATICCALL, POP]
    const { vmTrace } = await traceOf({ [MAIN]: program(call), [at(0x2000)]: callee })
    return vmTrace?.ops ?? []
  }

  it('has an empty frame with a cost for an account without code and for a precompiled contract', async () => {
    const steps = await stepsOf(callTo(at(0x3000), { gas: 500n }), callTo(at(4), { gas: 500n }))
    const calls = steps.filter(({ sub }) => sub !== null)
    expect(calls.map(({ sub }) => sub)).toEqual([
      { code: '0x', ops: [] },
      { code: '0x', ops: [] },
    ])
    expect(calls.map(({ cost }) => cost)).toEqual([2600 + 500, 100 + 15])
  })

  it('has no frame for a call that cannot be paid', async () => {
    const steps = await stepsOf(callTo(at(0x3000), { value: 1n }))
    expect(steps.at(-2)).toMatchObject({ ex: { push: ['0x0'] }, sub: null })
  })

  it('shows the init code of a creation at an occupied address, without steps', async () => {
    const init = returnBytes('0x00')
    const twice = createFrom(init, { salt: 1n })
    const creations = (await stepsOf(twice, twice)).filter(({ sub }) => sub !== null)
    const [made, refused] = creations
    expect(made?.sub?.ops.length).toBeGreaterThan(0)
    expect(refused?.sub).toEqual({ code: made?.sub?.code, ops: [] })
    expect(refused?.ex?.push).toEqual(['0x0'])
    expect(refused?.cost).toBeGreaterThan(500_000)
  })

  it('omits the RETURN of code that is not allowed', async () => {
    const steps = await stepsOf(createFrom(returnBytes('0x00')), createFrom(returnBytes('0xef')))
    const [taken, refused] = steps.filter(({ sub }) => sub !== null)
    expect(taken?.sub?.ops.length).toBe((refused?.sub?.ops.length ?? 0) + 1)
  })

  it('has the init code of a creating transaction', async () => {
    const init = bytesToHex(program(returnBytes('0x00')).code)
    const { vmTrace } = await traceOf({}, { to: undefined, data: init })
    expect(vmTrace?.code).toBe(init)
    expect(vmTrace?.ops.at(-1)).toMatchObject({ cost: 0, ex: { push: [] } })
  })
})

describe('stateDiff', () => {
  it('lists created accounts with all their values, in address order', async () => {
    const { stateDiff } = await traceOf({}, { to: at(0x3000), value: 5n })
    const addresses = Object.keys(stateDiff ?? {})
    expect(addresses).toEqual([...addresses].sort())
    expect(stateDiff?.[at(0x3000)]).toEqual({
      balance: { '+': '0x5' },
      code: { '+': '0x' },
      nonce: { '+': '0x0' },
      storage: {},
    })
    expect(stateDiff?.[FROM]).toMatchObject({ code: '=', nonce: { '*': { from: '0x0', to: '0x1' } }, storage: {} })
  })

  it('lists changed slots, but none that were restored', async () => {
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
    const { stateDiff } = await traceOf({
      [MAIN]: {
        ...program(7n, 2n, SSTORE, 5n, 1n, SSTORE, 9n, 3n, SSTORE, 0n, 3n, SSTORE),
        storage: { [word(1)]: '0x1' },
      },
    })
    expect(stateDiff?.[MAIN]).toEqual({
      balance: '=',
      code: '=',
      nonce: '=',
      storage: {
        [word(1)]: { '*': { from: word(1), to: word(5) } },
        [word(2)]: { '*': { from: word(0), to: word(7) } },
      },
    })
  })

  it('has the code and slots of a created contract, and nothing that was reverted', async () => {
    const shortLived = createFrom([...put('0x'), BigInt(at(0x9999)), SELFDESTRUCT])
    const lasting = createFrom([1n, 2n, SSTORE, 0n, 3n, SSTORE, ...returnBytes('0xfe')])
    const { stateDiff, trace } = await traceOf({ [MAIN]: program(shortLived, lasting) })
    const created = trace.filter(({ type }) => type === 'create').map(({ result }) => result?.['address'] as string)
    expect(stateDiff).not.toHaveProperty(created[0] as string)
    expect(stateDiff?.[created[1] as string]).toEqual({
      balance: { '+': '0x0' },
      code: { '+': '0xfe' },
      nonce: { '+': '0x1' },
      storage: { [`0x${'2'.padStart(64, '0')}`]: { '+': `0x${'1'.padStart(64, '0')}` } },
    })
  })
})
