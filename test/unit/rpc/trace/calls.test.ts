import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { ALICE, BOB, signed } from '../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy } from '../../../support/nodes/tracedNode.ts'
import { at, code, revertWith, SSTORE } from '../../tracing/geth/programs.ts'

const FROM = ALICE.address.toLowerCase()
const PRICE = { gasPrice: '0x174876e800' }
const POOR = at(0xbeef)
const INVALID_PARAMS = expect.objectContaining({ code: -32602 })
const INTERNAL = expect.objectContaining({ code: -32603, message: 'Internal error' })

interface Trace {
  readonly output: string
  readonly trace: readonly { readonly action: Record<string, string> }[]
  readonly stateDiff: Record<string, { readonly balance: unknown; readonly nonce: unknown; readonly storage: object }>
}

/** Adds 1 to the value of slot 0. */
const COUNTER = code(0n, 0x54, 1n, 0x01, 0n, SSTORE).code

describe('traces of calls', () => {
  let node: OpenedNode

  beforeEach(async () => {
    node = await openDevNode({ 'rpc-profile': 'besu' })
  })

  afterEach(() => node.node.close())

  it('trace_call: one object, without the members of mined transactions', async () => {
    const call = { from: FROM, to: BOB.address, value: '0x5', ...PRICE }
    const trace = await node.rpc<Trace>('trace_call', call, ['trace'], 'latest')
    expect(Object.keys(trace)).toEqual(['output', 'stateDiff', 'trace', 'vmTrace'])
    expect(Object.keys(trace.trace[0] as object)).toEqual(['action', 'result', 'subtraces', 'traceAddress', 'type'])
    expect(trace.trace[0]?.action).toMatchObject({ from: FROM, value: '0x5' })
    expect(await node.rpc('trace_call', call, ['trace'])).toEqual(trace)
  })

  it('trace_call: the fee is paid and the nonce incremented, whatever nonce the call has', async () => {
    const call = { from: FROM, to: BOB.address, gas: '0x5208', nonce: '0x63', ...PRICE }
    const { stateDiff } = await node.rpc<Trace>('trace_call', call, ['stateDiff'])
    expect(stateDiff[FROM]?.nonce).toEqual({ '*': { from: '0x0', to: '0x1' } })
    expect(stateDiff[FROM]?.balance).toHaveProperty('*')
  })

  it('trace_call: shows revert data as output, and omits the creation method', async () => {
    const data = bytesToHex(code(revertWith('0x0102')).code)
    const trace = await node.rpc<Trace>('trace_call', { from: FROM, data, ...PRICE }, ['trace'])
    expect(trace).toMatchObject({ output: '0x0102', trace: [{ error: 'Reverted', revertReason: '0x0102' }] })
    expect(trace.trace[0]?.action).not.toHaveProperty('creationMethod')
    expect(trace).not.toHaveProperty('revertReason')
  })

  it('trace_call: fails if a transaction would be invalid', async () => {
    const call = { from: FROM, to: BOB.address }
    for (const wrong of [
      call,
      { ...call, gasPrice: '0x1' },
      { ...call, gas: '0x5207', ...PRICE },
      { ...call, from: POOR, value: '0x1', ...PRICE },
      { ...call, from: POOR, ...PRICE },
    ]) {
      await expect(node.rpc('trace_call', wrong, ['trace'])).rejects.toEqual(INTERNAL)
    }
    const unknown = expect.objectContaining({ code: -32000, message: 'Block not found' })
    await expect(node.rpc('trace_call', { ...call, ...PRICE }, ['trace'], '0xffff')).rejects.toEqual(unknown)
    await expect(node.rpc('trace_call', { ...call, ...PRICE }, ['bla'])).rejects.toEqual(INVALID_PARAMS)
    await expect(node.rpc('trace_call', { ...call, ...PRICE })).rejects.toEqual(INVALID_PARAMS)
  })

  it('trace_callMany: each call starts from the state after the previous one', async () => {
    const counter = await deploy(node, COUNTER)
    const call = { from: FROM, to: counter, gas: '0x186a0', ...PRICE }
    const calls = [1, 2, 3].map(() => [call, ['stateDiff']])
    const traces = await node.rpc<Trace[]>('trace_callMany', calls, 'latest')
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
    expect(traces.map(({ stateDiff }) => Object.values(stateDiff[counter]?.storage ?? {}))).toEqual([
      [{ '*': { from: word(0), to: word(1) } }],
      [{ '*': { from: word(1), to: word(2) } }],
      [{ '*': { from: word(2), to: word(3) } }],
    ])
    expect(traces.map(({ stateDiff }) => stateDiff[FROM]?.nonce)).toEqual([
      { '*': { from: '0x1', to: '0x2' } },
      { '*': { from: '0x2', to: '0x3' } },
      { '*': { from: '0x3', to: '0x4' } },
    ])
    expect(await node.rpc('eth_getStorageAt', counter, '0x0', 'latest')).toBe(word(0))
  })

  it('trace_callMany: runs on the named block', async () => {
    const counter = await deploy(node, COUNTER)
    const calls = [[{ from: FROM, to: counter, ...PRICE }, ['stateDiff']]]
    const [atHead] = await node.rpc<Trace[]>('trace_callMany', calls)
    const [before] = await node.rpc<Trace[]>('trace_callMany', calls, '0x0')
    expect(atHead?.stateDiff).toHaveProperty(counter)
    expect(before?.stateDiff).not.toHaveProperty(counter)
  })

  it('trace_callMany: is an error as a whole if one call is invalid', async () => {
    const good = [{ from: FROM, to: BOB.address, gas: '0x5208', ...PRICE }, ['trace']]
    const poor = [{ from: POOR, to: BOB.address, gas: '0x5208', value: '0x1', ...PRICE }, ['trace']]
    await expect(node.rpc('trace_callMany', [good, poor])).rejects.toEqual(INTERNAL)
    expect(await node.rpc('trace_callMany', [])).toEqual([])
    await expect(node.rpc('trace_callMany', [good[0]])).rejects.toEqual(INVALID_PARAMS)
    await expect(node.rpc('trace_callMany', [[good[0]]])).rejects.toEqual(INVALID_PARAMS)
  })

  it('trace_callMany: one call pays for the next', async () => {
    const fund = [{ from: FROM, to: POOR, gas: '0x5208', value: '0xde0b6b3a7640000', ...PRICE }, []]
    const spend = [{ from: POOR, to: BOB.address, gas: '0x5208', value: '0x1', ...PRICE }, ['trace']]
    const traces = await node.rpc<Trace[]>('trace_callMany', [fund, spend])
    expect(traces[1]?.trace[0]?.action).toMatchObject({ from: POOR })
  })

  it('trace_rawTransaction: the effect of sending it, on the head, with any nonce and chain', async () => {
    const raw = await signed(ALICE, { nonce: 77, chainId: 99, value: 5n, maxFeePerGas: 100_000_000_000n })
    const trace = await node.rpc<Trace>('trace_rawTransaction', bytesToHex(raw), ['trace', 'stateDiff'])
    expect(trace.trace[0]?.action).toMatchObject({ from: FROM, to: BOB.address.toLowerCase(), value: '0x5' })
    expect(trace.stateDiff[FROM]?.nonce).toEqual({ '*': { from: '0x0', to: '0x1' } })
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
  })

  it('trace_rawTransaction: refuses invalid transactions', async () => {
    const raw = await signed(ALICE, { nonce: 0 })
    const cut = bytesToHex(raw.subarray(0, raw.length - 1))
    for (const wrong of ['0x', '0x00', '0xdeadbeef', cut, 'zz', bytesToHex(hexToBytes('0xc0'))]) {
      await expect(node.rpc('trace_rawTransaction', wrong, ['trace'])).rejects.toEqual(INVALID_PARAMS)
    }
    await expect(node.rpc('trace_rawTransaction', bytesToHex(raw))).rejects.toEqual(INVALID_PARAMS)
    await expect(node.rpc('trace_rawTransaction', bytesToHex(raw), [], 'latest')).rejects.toEqual(INVALID_PARAMS)
    const poor = await signed(ALICE, { nonce: 0, value: 10n ** 30n })
    await expect(node.rpc('trace_rawTransaction', bytesToHex(poor), ['trace'])).rejects.toEqual(INTERNAL)
  })

  it('has the same result on the reference EVM', async () => {
    const reference = await openDevNode({ evm: 'reference', 'rpc-profile': 'besu' })
    const data = bytesToHex(code(1n, 0n, SSTORE, revertWith('0x0102')).code)
    const parameters = [{ from: FROM, data, gas: '0x186a0', ...PRICE }, ['trace', 'vmTrace', 'stateDiff']]
    const traces = await Promise.all([node, reference].map(({ rpc }) => rpc<Trace>('trace_call', ...parameters)))
    expect(traces[1]).toEqual(traces[0])
    await reference.node.close()
  })

  it('reports why a call is invalid in the profile geth', async () => {
    const geth = await openDevNode()
    const call = { from: POOR, to: BOB.address, value: '0x1', ...PRICE }
    const refused = expect.objectContaining({ code: -32000, message: expect.stringContaining('insufficient funds') })
    await expect(geth.rpc('trace_call', call, ['trace'])).rejects.toEqual(refused)
    await geth.node.close()
  })

  it('charges nothing for a call without a gas price in the profile geth', async () => {
    const geth = await openDevNode()
    const free = await geth.rpc<Trace>('trace_call', { from: FROM, to: BOB.address }, ['stateDiff'])
    expect(free.stateDiff[FROM]).toMatchObject({ balance: '=', nonce: { '*': { from: '0x0', to: '0x1' } } })
    await geth.node.close()
  })
})
