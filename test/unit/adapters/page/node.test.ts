import { describe, expect, it } from 'vitest'
import { Batcher, type PendingRequest } from '../../../../adapters/page/rpc/batcher.ts'
import { offers, refusalAdvice } from '../../../../adapters/page/rpc/capabilities.ts'
import {
  ConnectionError,
  isRefusal,
  providerError,
  revertData,
  rpcError,
} from '../../../../adapters/page/rpc/errors.ts'
import type { Log } from '../../../../adapters/page/rpc/types.ts'
import { searchLogs } from '../../../../adapters/page/state/logSearch.ts'
import { disassemble } from '../../../../adapters/page/views/address/contract/disassemble.ts'
import { readExtraData } from '../../../../adapters/page/views/block/extraData.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { encodeExtraData } from '../../../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../../../src/consensus/bft/flavour.ts'
import { encodeExtraData as encodeClique } from '../../../../src/consensus/clique/extraData.ts'

describe('requests', () => {
  it('of one turn travel together, slow ones alone', async () => {
    const sent: string[][] = []
    const batcher = new Batcher((requests: readonly PendingRequest[]) => {
      sent.push(requests.map(({ method }) => method))
      for (const { resolve, method } of requests) resolve(method)
    })
    const methods = ['eth_chainId', 'debug_traceTransaction', 'eth_gasPrice', 'isonode_contractAt', 'isonode_summary']
    await Promise.all(methods.map((method) => batcher.request({ method })))
    expect(sent).toEqual([
      ['debug_traceTransaction'],
      ['isonode_summary'],
      ['eth_chainId', 'eth_gasPrice', 'isonode_contractAt'],
    ])
  })

  it('are split when nodes would refuse the batch', async () => {
    const sizes: number[] = []
    const batcher = new Batcher((requests) => {
      sizes.push(requests.length)
      for (const { resolve } of requests) resolve(1)
    })
    await Promise.all(Array.from({ length: 120 }, () => batcher.request({ method: 'eth_chainId' })))
    expect(sizes).toEqual([50, 50, 20])
  })
})

describe('errors of a node', () => {
  it('tell a refusal from a failure', () => {
    expect(isRefusal(rpcError('a', { code: -32604, message: 'Method not enabled' }))).toBe(true)
    expect(isRefusal(rpcError('a', { code: -32601 }))).toBe(true)
    expect(isRefusal(rpcError('a', { code: 3, message: 'execution reverted' }))).toBe(false)
  })

  it('of other providers are plain objects, or say that the chain is away', () => {
    expect(isRefusal(providerError('a', { code: -32601, message: 'none' }))).toBe(true)
    expect(providerError('a', { code: 4900, message: 'away' })).toBeInstanceOf(ConnectionError)
    expect(providerError('a', Object.assign(new Error('reverted'), { code: 3, data: '0x12' }))).toMatchObject({
      message: 'reverted',
      code: 3,
      data: '0x12',
    })
    expect(providerError('a', 'text').message).toBe('text')
  })

  it('carry the output of a revert as hex or in an object', () => {
    expect(revertData(rpcError('a', { code: 3, data: '0x1234' }))).toBe('0x1234')
    expect(revertData(rpcError('a', { code: 3, data: { data: '0x12' } }))).toBe('0x12')
    expect(revertData(rpcError('a', { code: 3, data: 'text' }))).toBeUndefined()
  })
})

describe('what a node offers', () => {
  const isonode = { groups: new Set(['eth']), client: 'anvil/isonode/v0.1.0/linux' }

  it('names the option that allows a method', () => {
    expect(refusalAdvice(isonode, 'debug_traceTransaction')).toContain('--rpc-http-api=…,DEBUG')
    expect(refusalAdvice(isonode, 'evm_mine')).toContain('--network=dev')
    expect(refusalAdvice({ groups: undefined, client: 'Geth/v1' }, 'ots_x')).toBe('This node has no method ots_x.')
  })

  it('is unknown where the node does not tell', () => {
    expect(offers(isonode, 'debug')).toBe(false)
    expect(offers({ groups: undefined, client: '' }, 'debug')).toBe(true)
  })
})

describe('the search for logs', () => {
  const log = (number: number): Log =>
    ({ blockHash: `b${number}`, blockNumber: `0x${number.toString(16)}`, logIndex: '0x0' }) as Log

  /** A node that refuses more than `limit` blocks. */
  function node(head: number, logs: readonly number[], limit = Number.POSITIVE_INFINITY) {
    let requests = 0
    const ask = async <R>(method: string, ...[filter]: readonly unknown[]): Promise<R> => {
      if (method === 'eth_blockNumber') return `0x${head.toString(16)}` as R
      requests++
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
      const [from, to] = [Number(fromBlock), Number(toBlock)]
      if (to - from + 1 > limit) throw rpcError(method, { code: -32005, message: 'range too large' })
      return logs.filter((number) => number >= from && number <= to).map(log) as R
    }
    return { ask, count: () => requests }
  }

  it('reaches the beginning of an empty chain with few requests', async () => {
    const { ask, count } = node(1_000_000, [])
    expect(await searchLogs(ask, [{ topics: [] }], 10)).toEqual({ logs: [], from: 0 })
    expect(count()).toBeLessThan(8)
  })

  it('gives the newest logs first, and says how far it went', async () => {
    const { ask } = node(5000, [1, 4000, 4999])
    const { logs, from } = await searchLogs(ask, [{ topics: [] }], 1)
    expect(logs.map(({ blockNumber }) => Number(blockNumber))).toEqual([4999, 4000])
    expect(from).toBe(3977)
  })

  it('asks for less where the node refuses long ranges, and ends', async () => {
    const { ask, count } = node(1_000_000, [999_990], 200)
    const { logs, from } = await searchLogs(ask, [{ topics: [] }], 10)
    expect(logs).toHaveLength(1)
    expect(from).toBeGreaterThan(0)
    expect(count()).toBeLessThanOrEqual(24)
  })

  it('counts a log that fits two filters once', async () => {
    const { ask } = node(10, [5])
    const { logs } = await searchLogs(ask, [{ topics: ['a'] }, { topics: ['b'] }], 10)
    expect(logs).toHaveLength(1)
  })
})

describe('extra data', () => {
  const validator = new Uint8Array(20).fill(7)
  const seal = new Uint8Array(65).fill(9)
  const digest = '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365'
  const header = { number: '0x5', miner: `0x${'0'.repeat(40)}`, nonce: '0x0000000000000000', difficulty: '0x1' }

  it.each([QBFT, IBFT2])('of $name show validators, vote, round and seals', (flavour) => {
    const vote = { recipient: validator, isAdd: true }
    const bytes = encodeExtraData(
      { vanity: new Uint8Array(32), validators: [validator], vote, round: 3, seals: [seal] },
      flavour,
    )
    const address = bytesToHex(validator)
    expect(readExtraData({ ...header, mixHash: digest, extraData: bytesToHex(bytes) })).toEqual({
      kind: flavour.name,
      members: [address],
      vote: { recipient: address, isAdd: true },
      round: 3,
      seals: [bytesToHex(seal)],
    })
  })

  it('of Clique show signers and the vote', () => {
    const extraData = bytesToHex(encodeClique(new Uint8Array(32), [validator], seal))
    const vote = { ...header, miner: bytesToHex(validator), nonce: '0xffffffffffffffff', extraData }
    expect(readExtraData(vote)).toMatchObject({
      kind: 'clique',
      members: [bytesToHex(validator)],
      vote: { isAdd: true },
    })
    expect(readExtraData({ ...vote, difficulty: '0x0' })).toMatchObject({ kind: 'text' })
  })

  it('of other chains are text, if they are printable', () => {
    expect(readExtraData({ ...header, extraData: '0x67657468' })).toEqual({ kind: 'text', text: 'geth' })
    expect(readExtraData({ ...header, extraData: '0x0001' })).toEqual({ kind: 'text', text: undefined })
    expect(readExtraData({ ...header, extraData: 'nonsense' })).toEqual({ kind: 'text', text: undefined })
    expect(readExtraData({ ...header, mixHash: digest, extraData: '0xc0' })).toMatchObject({ kind: 'text' })
  })
})

describe('code', () => {
  it('is read as instructions, with a push that is cut', () => {
    expect(disassemble('0x600161ff')).toEqual([
      { pc: 0, name: 'PUSH1', operand: '0x01' },
      { pc: 2, name: 'PUSH2', operand: '0xff' },
    ])
    expect(disassemble('0x')).toEqual([])
  })
})
