import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { at, callTo, code, revertWith } from '../../tracing/geth/programs.ts'

interface Entry {
  readonly action: Record<string, string>
  readonly result?: Record<string, string> | null
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly transactionHash: string | null
  readonly transactionPosition: number | null
  readonly type: string
}

const FROM = ALICE.address.toLowerCase()
const UNKNOWN = `0x${'77'.repeat(32)}`
const INVALID_PARAMS = expect.objectContaining({ code: -32602 })

describe('traces of stored blocks', () => {
  let node: OpenedNode
  let contract: string
  let reverting: string
  let block: string
  let hashes: readonly string[]

  beforeEach(async () => {
    node = await openDevNode({ 'rpc-profile': 'besu' })
    contract = await deploy(node, code(callTo(at(0x3000)), callTo(at(0x4000))).code)
    reverting = await deploy(node, code(revertWith('0x0a0b')).code)
    await node.rpc('evm_setAutomine', false)
    hashes = [
      await send(node, { to: contract }),
      await send(node, { to: reverting }),
      await send(node, { to: BOB.address, value: '0x5' }),
    ]
    await node.rpc('evm_mine')
    block = await node.rpc<string>('eth_blockNumber')
  })

  afterEach(() => node.node.close())

  it("trace_block: the entries of all transactions in order, then the block's rewards", async () => {
    const header = await node.rpc<{ hash: string; miner: string }>('eth_getBlockByNumber', block, false)
    const entries = await node.rpc<Entry[]>('trace_block', block)
    expect(entries.map((entry) => [entry.transactionHash, entry.transactionPosition, entry.traceAddress])).toEqual([
      [hashes[0], 0, []],
      [hashes[0], 0, [0]],
      [hashes[0], 0, [1]],
      [hashes[1], 1, []],
      [hashes[2], 2, []],
      [null, null, []],
    ])
    expect(entries.at(-1)).toEqual({
      action: { author: header.miner, rewardType: 'block', value: '0x0' },
      blockHash: header.hash,
      blockNumber: Number(block),
      result: null,
      subtraces: 0,
      traceAddress: [],
      transactionHash: null,
      transactionPosition: null,
      type: 'reward',
    })
    expect(Object.keys(entries[0] as object)).toEqual([
      'action',
      'blockHash',
      'blockNumber',
      'result',
      'subtraces',
      'traceAddress',
      'transactionHash',
      'transactionPosition',
      'type',
    ])
  })

  it('trace_block: an empty list for the genesis block, null for one that does not exist', async () => {
    expect(await node.rpc('trace_block', '0x0')).toEqual([])
    expect(await node.rpc('trace_block', 'earliest')).toEqual([])
    expect(await node.rpc('trace_block', '0xffff')).toBeNull()
  })

  it('trace_transaction: the entries of one, with the revert reason and without rewards', async () => {
    const entries = await node.rpc<Entry[]>('trace_transaction', hashes[1])
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      action: { callType: 'call', from: FROM, to: reverting, value: '0x0' },
      error: 'Reverted',
      revertReason: '0x0a0b',
      transactionPosition: 1,
    })
    expect(entries[0]).not.toHaveProperty('result')
    expect(await node.rpc('trace_transaction', UNKNOWN)).toEqual([])
  })

  it('trace_get: one entry by its trace address', async () => {
    const all = await node.rpc<Entry[]>('trace_transaction', hashes[0])
    expect(await node.rpc('trace_get', hashes[0], [])).toEqual(all[0])
    expect(await node.rpc('trace_get', hashes[0], ['0x1'])).toEqual(all[2])
    expect(await node.rpc('trace_get', hashes[0], ['0x2'])).toBeNull()
    expect(await node.rpc('trace_get', hashes[0], ['0x0', '0x0'])).toBeNull()
    expect(await node.rpc('trace_get', UNKNOWN, [])).toBeNull()
    await expect(node.rpc('trace_get', hashes[0])).rejects.toEqual(INVALID_PARAMS)
    await expect(node.rpc('trace_get', hashes[0], [], [])).rejects.toEqual(INVALID_PARAMS)
  })

  it('trace_replayBlockTransactions: as explorers request it', async () => {
    const traces = await node.rpc<{ trace: Entry[] }[]>('trace_replayBlockTransactions', block, ['trace'])
    expect(traces.map((trace) => Object.keys(trace))).toEqual([
      ['output', 'stateDiff', 'trace', 'transactionHash', 'vmTrace'],
      ['output', 'revertReason', 'stateDiff', 'trace', 'transactionHash', 'vmTrace'],
      ['output', 'stateDiff', 'trace', 'transactionHash', 'vmTrace'],
    ])
    expect(traces[1]).toMatchObject({ output: '0x', revertReason: '0x0a0b', stateDiff: null, vmTrace: null })
    const [whole] = await node.rpc<Entry[]>('trace_transaction', hashes[2])
    const [entry] = traces[2]?.trace ?? []
    expect(whole).toMatchObject(entry as object)
    expect(Object.keys(entry as object)).toEqual(['action', 'result', 'subtraces', 'traceAddress', 'type'])
  })

  it('trace_replayBlockTransactions: types in any case, and none', async () => {
    const all = await node.rpc<Record<string, unknown>[]>('trace_replayBlockTransactions', block, [
      'VMTRACE',
      'statediff',
    ])
    expect(all[0]).toMatchObject({ trace: [], vmTrace: { code: expect.any(String) }, stateDiff: expect.anything() })
    const none = await node.rpc<object[]>('trace_replayBlockTransactions', block, [])
    expect(none[0]).toMatchObject({ trace: [], vmTrace: null, stateDiff: null })
    await expect(node.rpc('trace_replayBlockTransactions', block, ['bla'])).rejects.toEqual(INVALID_PARAMS)
    await expect(node.rpc('trace_replayBlockTransactions', block)).rejects.toEqual(INVALID_PARAMS)
    expect(await node.rpc('trace_replayBlockTransactions', '0x0', ['trace'])).toEqual([])
    expect(await node.rpc('trace_replayBlockTransactions', '0xffff', ['trace'])).toBeNull()
  })

  it('trace_replayTransaction: the same as in its block', async () => {
    const types = ['trace', 'vmTrace', 'stateDiff']
    const traces = await node.rpc<object[]>('trace_replayBlockTransactions', block, types)
    for (const [i, hash] of hashes.entries()) {
      expect(await node.rpc('trace_replayTransaction', hash, types)).toEqual(traces[i])
    }
    expect(await node.rpc('trace_replayTransaction', UNKNOWN, types)).toBeNull()
  })

  it('start each difference from the state after the previous transaction', async () => {
    type Diff = { stateDiff: Record<string, { nonce: { '*': { from: string; to: string } } }> }
    const traces = await node.rpc<Diff[]>('trace_replayBlockTransactions', block, ['stateDiff'])
    const nonces = traces.map(({ stateDiff }) => stateDiff[FROM]?.nonce['*'])
    expect(nonces[1]?.from).toBe(nonces[0]?.to)
    expect(nonces[2]?.from).toBe(nonces[1]?.to)
  })

  it('show contracts with the code of their creation', async () => {
    const hash = await send(node, { data: bytesToHex(code(0n, 0n, 0xf3).code) })
    await node.rpc('evm_mine')
    const [entry] = await node.rpc<Entry[]>('trace_transaction', hash)
    const { contractAddress } = await node.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
    expect(entry).toMatchObject({
      action: { creationMethod: 'create', from: FROM, init: bytesToHex(code(0n, 0n, 0xf3).code) },
      result: { address: contractAddress, code: '0x' },
      type: 'create',
    })
  })
})
