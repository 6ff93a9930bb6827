import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { MapSource } from '../../support/fork/mapSource.ts'
import { NodeRemote } from '../../support/fork/nodeRemote.ts'
import { errorOf, openTestFork } from '../../support/fork/openTestFork.ts'
import { plain } from '../../support/fork/plain.ts'
import { openRecordedRemote } from '../../support/fork/recordedRemote.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const HASH = `0x${'12'.repeat(32)}`

describe('the block that a chain forks', () => {
  test.each([
    ['the head', { kind: 'tag', tag: 'latest' }, 0, 1],
    ['a number', { kind: 'number', number: 12 }, -22, 1],
    ['blocks below the head', { kind: 'number', number: -3 }, -3, 2],
  ] as const)('%s', async (_, reference, fromHead, requests) => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const { point } = await openTestFork(remote, { reference })
    expect(point.block.number).toBe(Number(chain.head.header.number) + fromHead)
    expect(point.block.isVerified).toBe(true)
    expect(point.chainId).toBe(chain.config.chainId)
    expect(remote.batches.length).toBe(requests)
  })

  test('a hash', async () => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const hash = chain.headerByNumber(7)?.hash ?? new Uint8Array(32)
    const { point } = await openTestFork(remote, { reference: { kind: 'hash', hash } })
    expect(point.block.number).toBe(7)
  })

  test('a transaction: the parent of its block, and how many transactions follow', async () => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const block = chain.headerByNumber(20)
    const [hash] = chain.transactionHashes(block?.hash ?? new Uint8Array(32)) ?? []
    const { point } = await openTestFork(remote, {
      reference: { kind: 'transaction', hash: hash ?? new Uint8Array(32) },
    })
    expect(point.block.number).toBe(19)
    expect(point.replay).toMatchObject({ index: 0, block: { number: 20 } })
    expect(remote.batches.length).toBe(2)
  })

  test('a block or a transaction that the remote does not have', async () => {
    const { remote } = await openRecordedRemote('besu/osaka')
    const none = new Uint8Array(32).fill(0x12)
    expect(await errorOf(openTestFork(remote, { reference: { kind: 'number', number: 1000 } }))).toEqual({
      code: 'FORK_UNAVAILABLE',
      message: 'the remote does not have block 1000',
    })
    expect(await errorOf(openTestFork(remote, { reference: { kind: 'hash', hash: none } }))).toEqual({
      code: 'FORK_UNAVAILABLE',
      message: `the remote does not have block ${HASH}`,
    })
    expect(await errorOf(openTestFork(remote, { reference: { kind: 'transaction', hash: none } }))).toEqual({
      code: 'FORK_UNAVAILABLE',
      message: `the remote does not have transaction ${HASH}`,
    })
  })

  test('what a number named is kept until the remote is found to be reorganised', async () => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const source = new MapSource()
    const reference = { kind: 'number', number: 10 } as const
    const fork = await openTestFork(remote, { source, reference })
    await openTestFork(remote, { source, reference })
    expect(remote.batches.length).toBe(1)
    const other = chain.headerByNumber(11)?.hash ?? new Uint8Array(32)
    remote.lie = ({ method }, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: bytesToHex(other) } : result
    remote.learn('stateByHash', false)
    const read = fork.read(() => fork.state.account(fork.state.forkBlock, new Uint8Array(20)))
    expect(await errorOf(read)).toMatchObject({ code: 'FORK_BLOCK_CHANGED' })
    remote.lie = (_, result) => result
    const before = remote.batches.length
    await openTestFork(remote, { source, reference })
    expect(remote.batches.length).toBe(before + 1)
  })
})

describe('headers that this node does not know how to hash', () => {
  const foreign = (_: unknown, result: unknown): unknown =>
    typeof result === 'object' && result !== null && 'stateRoot' in result
      ? { ...result, hash: HASH, number: '0x5', l1BlockNumber: '0x1' }
      : result

  test('are believed, which is said once', async () => {
    const { remote } = await openRecordedRemote('besu/osaka')
    remote.lie = foreign
    const fork = await openTestFork(remote)
    expect(fork.unverified).toEqual(['headers, whose hash is computed in a way that this node does not know'])
    expect(fork.point.block).toMatchObject({ number: 5, isVerified: false })
    const header = await fork.read(() => fork.chain.headerByNumber(5))
    expect(bytesToHex(header?.hash ?? new Uint8Array(0))).toBe(HASH)
  })

  test('are refused where only proofs count', async () => {
    const { remote } = await openRecordedRemote('besu/osaka')
    remote.lie = foreign
    expect(await errorOf(openTestFork(remote, { mode: 'proofs' }))).toMatchObject({ code: 'FORK_UNPROVEN' })
  })
})

describe('transactions of a type that this node does not know', () => {
  test('are named, and their block is kept as it came', async () => {
    const { remote } = await openRecordedRemote('besu/osaka')
    const fork = await openTestFork(remote)
    remote.lie = ({ params }, result) => {
      if (params[1] !== true) return result
      const { transactions, ...block } = result as { transactions: object[] }
      return { ...block, transactions: transactions.map((item) => ({ ...item, type: '0x7e', sourceHash: HASH })) }
    }
    const header = await fork.read(() => fork.chain.headerByNumber(2))
    const hash = header?.hash ?? new Uint8Array(32)
    expect(await errorOf(fork.read(() => fork.chain.body(hash)))).toEqual({
      code: 'FORK_UNSUPPORTED',
      message: 'block 2 of the remote has transactions of type 0x7e, which this node cannot decode',
    })
    expect(fork.unverified).toEqual(['transactions of type 0x7e'])
    expect(fork.blocks.rawBlock(hash)).toMatchObject({ number: '0x2', transactions: [{ sourceHash: HASH }] })
  })
})

describe('two remotes that must agree', () => {
  test('a value that both give counts, others do not', async () => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const { beneficiary } = chain.head.header
    const second = new NodeRemote(async (method, ...params) => (await remote.request(method, params)) as never)
    remote.second = second
    const fork = await openTestFork(remote, { mode: 'quorum' })
    const block = fork.state.forkBlock
    expect(await fork.read(() => fork.state.account(block, beneficiary))).toBeDefined()
    second.lie = ({ method }, result) => (method === 'eth_getBalance' ? '0x1234' : result)
    const other = new Uint8Array(20).fill(9)
    expect(await errorOf(fork.read(() => fork.state.account(block, other)))).toEqual({
      code: 'FORK_UNPROVEN',
      message: 'eth_getBalance cannot be proven: http://remote.test and http://second.test do not agree',
    })
  })
})

describe('hashes of many blocks', () => {
  const open = closedAfterEach()

  test('a loop over them asks in growing batches', async () => {
    const { node, rpc } = await open()
    await rpc('anvil_mine', '0x140')
    const remote = new NodeRemote(rpc)
    const fork = await openTestFork(remote)
    const { chain } = node
    const head = fork.point.block.number
    const before = remote.batches.length
    for (let number = head - 1; number >= head - 256; number--) {
      const hash = await fork.read(() => fork.chain.canonicalHash(number))
      expect(plain(hash)).toBe(plain(chain.canonicalHash(number)))
    }
    expect(remote.batches.length - before).toBeLessThan(16)
  })

  test('what is fetched ahead may be missing', async () => {
    const { node, rpc } = await open()
    await rpc('anvil_mine', '0x20')
    const remote = new NodeRemote(rpc)
    remote.lie = ({ params }, result) => (Number(params[0]) < 27 ? null : result)
    const fork = await openTestFork(remote)
    for (const number of [29, 28, 27]) {
      const hash = await fork.read(() => fork.chain.canonicalHash(number))
      expect(plain(hash)).toBe(plain(node.chain.canonicalHash(number)))
    }
  })
})
