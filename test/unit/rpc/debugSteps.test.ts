import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { ALICE, signed } from '../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const OUTER = `0x${'c0'.repeat(20)}` as const
const INNER = `0x${'c1'.repeat(20)}` as const
/** Writes slot 1 twice and slot 2, then reverts with the word 7. */
const INNER_CODE = '5 1 SSTORE 6 2 SSTORE 8 1 SSTORE 7 0 MSTORE 32 0 REVERT'
/** Logs, calls the precompile of identity and then INNER, and passes on its failure. */
const OUTER_CODE = `9 0 0 LOG1 0 0 4 0 4 GAS STATICCALL POP 0 0 4 0 0 ${INNER} GAS CALL POP RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 REVERT`

interface Step {
  readonly index: number
  readonly pc: number
  readonly op: string
  readonly depth: number
  readonly frame: number
}

interface Steps {
  readonly from: number
  readonly steps: readonly (Step & { readonly storage?: Record<string, string>; readonly stack?: string[] })[]
  readonly total: number | null
  readonly failed: boolean | null
  readonly frames: readonly {
    readonly id: number
    readonly parent: number | null
    readonly type: string
    readonly codeAddress: string
    readonly firstStep: number | null
    readonly lastStep: number | null
    readonly error: string | null
  }[]
}

const nodes: OpenedNode[] = []

afterEach(async () => {
  for (const { node } of nodes.splice(0)) await node.close()
})

/** A node with one failed transaction. */
async function open() {
  const dev = await openDevNode()
  nodes.push(dev)
  await dev.rpc('anvil_setCode', OUTER, bytesToHex(evmCode(OUTER_CODE)))
  await dev.rpc('anvil_setCode', INNER, bytesToHex(evmCode(INNER_CODE)))
  const hash: string = await dev.rpc(
    'eth_sendRawTransaction',
    bytesToHex(await signed(ALICE, { nonce: 0, to: OUTER, gas: 300_000n })),
  )
  const traceSteps = (options: object = {}, target: unknown = hash) =>
    dev.rpc<Steps>('debug_traceSteps', target, options)
  const findStep = (search: object, target: unknown = hash) => dev.rpc<Step | null>('debug_findStep', target, search)
  return { dev, hash, traceSteps, findStep }
}

const opsOf = ({ steps }: Steps) => steps.map(({ op }) => op)

describe('debug_traceSteps', () => {
  it('gives the steps of debug_traceTransaction, window by window', async () => {
    const { dev, hash, traceSteps } = await open()
    const { structLogs } = await dev.rpc<{ structLogs: Step[] }>('debug_traceTransaction', hash)
    const steps: Step[] = []
    for (let from = 0; ; from += 7) {
      const answer = await traceSteps({ from, count: 7 })
      expect(answer.from).toBe(from)
      steps.push(...answer.steps)
      if (answer.total !== null) {
        expect(answer).toMatchObject({ total: structLogs.length, failed: true })
        break
      }
    }
    expect(steps).toMatchObject(structLogs.map(({ pc, op, depth }, index) => ({ index, pc, op, depth })))
  })

  it('names the calls of the steps, with those around them', async () => {
    const { traceSteps, findStep } = await open()
    const { steps, frames } = await traceSteps({ count: 2000 })
    expect(frames).toMatchObject([
      { id: 0, parent: null, type: 'CALL', codeAddress: OUTER, firstStep: 0, error: 'execution reverted' },
      { id: 1, parent: 0, type: 'STATICCALL', firstStep: null, lastStep: null, error: null },
      { id: 2, parent: 0, type: 'CALL', codeAddress: INNER, error: 'execution reverted' },
    ])
    expect(frames[0]?.lastStep).toBe(steps.length - 1)
    const inner = await findStep({ where: { address: INNER } })
    const window = await traceSteps({ from: inner?.index, count: 1 })
    expect(window.frames).toMatchObject([
      { id: 0, lastStep: null, error: null },
      { id: 2, firstStep: inner?.index },
    ])
  })

  it('shows stack, memory and storage on request', async () => {
    const { traceSteps, findStep } = await open()
    const write = await findStep({ where: { write: true } })
    const [step] = (await traceSteps({ from: write?.index, count: 1, storage: true, memory: true })).steps
    expect(step).toMatchObject({
      op: 'SSTORE',
      stack: ['0x5', '0x1'],
      storage: { [`0x${'01'.padStart(64, '0')}`]: `0x${'05'.padStart(64, '0')}` },
      memory: '0x',
      memorySize: 0,
    })
    const [bare] = (await traceSteps({ from: write?.index, count: 1, stack: false })).steps
    expect(Object.keys(bare ?? {})).not.toContain('stack')
  })

  it('has no step beyond the end', async () => {
    const { traceSteps } = await open()
    const { total } = await traceSteps({ count: 2000 })
    expect(await traceSteps({ from: 1_000_000 })).toMatchObject({ steps: [], frames: [], total, failed: true })
    expect(await traceSteps({ from: total ?? 0, count: 0 })).toMatchObject({ steps: [], total })
  })

  it('runs a call with overrides on a block', async () => {
    const { traceSteps } = await open()
    const target = {
      call: { to: OUTER, data: '0x12345678' },
      block: 'latest',
      stateOverrides: { [OUTER]: { code: bytesToHex(evmCode('NUMBER STOP')) } },
      blockOverrides: { number: '0x99' },
    }
    const answer = await traceSteps({ from: 1 }, target)
    expect(answer).toMatchObject({ total: 2, failed: false, steps: [{ op: 'STOP', stack: ['0x99'] }] })
    expect(answer.frames).toMatchObject([{ id: 0, input: '0x12345678', inputSize: 4 }])
  })

  it('numbers no step where no code runs', async () => {
    const { traceSteps, findStep } = await open()
    for (const call of [{ to: ALICE.address }, { to: `0x${'00'.repeat(19)}04`, data: '0x11' }, { input: '0x' }]) {
      expect(await traceSteps({}, { call: { from: ALICE.address, ...call } })).toMatchObject({ steps: [], total: 0 })
      expect(await findStep({ where: { failure: true } }, { call: { from: ALICE.address, ...call } })).toBeNull()
    }
  })

  it.each([
    [[{ from: -1 }], /from/],
    [[{ from: 2 ** 53 }], /from/],
    [[{ count: 2001 }], /count: expected an integer from 0 to 2000/],
    [[{ count: 1.5 }], /count/],
    [['x'], /options|object/],
  ])('refuses the options %j', async (params, message) => {
    const { dev, hash } = await open()
    await expect(dev.rpc('debug_traceSteps', hash, ...params)).rejects.toThrow(message)
  })

  it.each([[5], ['0x12'], [{}], [{ call: 7 }], [[]], [null]])('refuses the target %j', async (target) => {
    const { dev } = await open()
    await expect(dev.rpc('debug_traceSteps', target)).rejects.toThrow(/target/)
  })

  it('ends with the deadline of calls', async () => {
    const dev = await openDevNode({ 'rpc-call-timeout-ms': 50 })
    nodes.push(dev)
    await dev.rpc('anvil_setCode', OUTER, '0x5b600056')
    const target = { call: { to: OUTER, gas: '0x5f5e100' } }
    await expect(dev.rpc('debug_traceSteps', target, { from: 2 ** 40 })).rejects.toThrow(/timeout/)
    await expect(dev.rpc('debug_findStep', target, { where: { failure: true } })).rejects.toThrow(/timeout/)
  })

  it('ends when its client has left', async () => {
    const dev = await openDevNode()
    nodes.push(dev)
    await dev.rpc('anvil_setCode', OUTER, '0x5b600056')
    const signal = AbortSignal.timeout(20)
    const params = [{ call: { to: OUTER, gas: '0x5f5e100' } }, { where: { failure: true } }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_findStep', params })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost:8545', { method: 'POST', headers, body, signal })
    const response = await dev.node.fetch(request)
    expect((await response.json()).error.message).toMatch(/abort/)
  })

  it('says that a transaction is not known', async () => {
    const { dev } = await open()
    const unknown = `0x${'11'.repeat(32)}`
    await expect(dev.rpc('debug_traceSteps', unknown)).rejects.toThrow(/transaction not found/)
  })

  it('fails for a call that is not valid', async () => {
    const { traceSteps } = await open()
    const call = { from: `0x${'ee'.repeat(20)}`, to: OUTER, value: '0xffffffffffffffffffffff' }
    await expect(traceSteps({}, { call })).rejects.toThrow(/insufficient funds/i)
  })
})

describe('debug_findStep', () => {
  it('finds where a failure began, in a call whose failure was passed on', async () => {
    const { traceSteps, findStep } = await open()
    const all = await traceSteps({ count: 2000 })
    const failure = all.steps.findIndex(({ op }) => op === 'REVERT')
    expect(await findStep({ where: { failure: true } })).toEqual({
      index: failure,
      pc: all.steps[failure]?.pc,
      op: 'REVERT',
      depth: 2,
      frame: 2,
    })
    expect(await findStep({ from: failure, where: { failure: true } })).toBeNull()
    expect(await findStep({ from: failure, direction: 'backward', where: { failure: true } })).toBeNull()
  })

  it('finds the write before the last to a slot', async () => {
    const { findStep } = await open()
    const where = { slot: '0x1', write: true }
    const last = await findStep({ direction: 'backward', where })
    const before = await findStep({ from: last?.index, direction: 'backward', where })
    expect(before?.index).toBeLessThan(last?.index ?? 0)
    expect(await findStep({ from: before?.index, direction: 'backward', where })).toBeNull()
    expect(await findStep({ from: before?.index, where })).toEqual(last)
  })

  it('combines conditions', async () => {
    const { traceSteps, findStep } = await open()
    const ops = opsOf(await traceSteps({ count: 2000 }))
    const call = await findStep({ where: { call: true, op: 'CALL' } })
    expect(call?.index).toBe(ops.indexOf('CALL'))
    expect(await findStep({ where: { log: true, topic: `0x${'09'.padStart(64, '0')}` } })).toMatchObject({ op: 'LOG1' })
    expect(await findStep({ where: { log: true, topic: `0x${'08'.padStart(64, '0')}` } })).toBeNull()
    expect(await findStep({ where: { depth: 2 } })).toMatchObject({ index: (call?.index ?? 0) + 1, frame: 2 })
    expect(await findStep({ where: { depth: { max: 1 } }, from: call?.index })).toMatchObject({ op: 'POP', frame: 0 })
    expect(await findStep({ where: { revert: true, depth: 1 } })).toMatchObject({ index: ops.length - 1 })
    expect(await findStep({ where: { pc: [0, 2] }, from: 0 })).toMatchObject({ index: 1, pc: 2 })
    expect(await findStep({ where: { selector: '0x00000000' } })).toMatchObject({ op: 'STATICCALL' })
    expect(await findStep({ where: { call: false, op: ['SSTORE', 'sload'] } })).toMatchObject({ op: 'SSTORE' })
    expect(await findStep({ where: {} })).toMatchObject({ index: 0 })
    expect(await findStep({ direction: 'backward' })).toMatchObject({ index: ops.length - 1 })
  })

  it.each([
    [{ where: { opcode: 'ADD' } }, /where: expected one of op, pc/],
    [{ where: { op: 'FOO' } }, /op: expected the name of an opcode/],
    [{ where: { op: Array(5000).fill('ADD') } }, /op: expected at most 4096 values/],
    [{ where: { pc: 2 ** 40 } }, /pc/],
    [{ where: { pc: [-1] } }, /pc/],
    [{ where: { depth: { min: 'x' } } }, /depth/],
    [{ where: { selector: '0x1234' } }, /selector: expected 4 bytes/],
    [{ where: { slot: `0x${'f'.repeat(66)}` } }, /slot/],
    [{ where: { topic: '0x1' } }, /topic/],
    [{ where: [] }, /where/],
    [{ direction: 'up' }, /direction/],
    [{ from: 'end' }, /from: expected a step or "start"/],
    [{ from: 'start', direction: 'backward' }, /from: expected a step or "end"/],
    [{ from: 1.5 }, /from/],
  ])('refuses the search %j', async (search, message) => {
    const { findStep } = await open()
    await expect(findStep(search)).rejects.toThrow(message)
  })
})
