/** A whole check of a store: nothing to report of an intact one, and the column and key of every damage. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Entry } from '../../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { encodeNumber } from '../../../../src/chain/blockRecord.ts'
import type { BlockHasher } from '../../../../src/chain/engine.ts'
import { columnUsage, storeAverages, storeBounds } from '../../../../src/chain/inspection/storeUsage.ts'
import { type VerifiedStore, verifyStore } from '../../../../src/chain/inspection/verifyStore.ts'
import { devGenesis } from '../../../../src/config/devGenesis.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { COLUMNS, Column, type ColumnName, keys } from '../../../../src/storage/schema.ts'
import { encodeHeader } from '../../../../src/types/headerCodec.ts'
import { CREATION, DESTRUCTIBLE } from '../../../support/evm/destructible.ts'
import { openDevNode } from '../../../support/nodes/devNodeInMemory.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const CONTRACT = `0x${'c0de'.repeat(10)}`
/** Stores the block number in the slot that the call data name, and logs it. */
const CODE = '0x4360003555600060006000a1600060006000a0'
const dev: BlockHasher = { hash: (header, encoded) => keccak256(encoded ?? encodeHeader(header)) }

interface Problem {
  readonly column: ColumnName
  readonly key: string
  readonly problem: string
}

function verify(kv: MemoryStore): { readonly problems: Problem[]; readonly verified: VerifiedStore } {
  const problems: Problem[] = []
  const steps = verifyStore(kv, dev, (column, key, problem) => problems.push({ column, key: bytesToHex(key), problem }))
  for (;;) {
    const step = steps.next()
    if (step.done === true) return { problems, verified: step.value }
    expect(step.value.fraction).toBeGreaterThanOrEqual(0)
    expect(step.value.fraction).toBeLessThanOrEqual(1)
  }
}

describe('verifyStore', () => {
  const kv = new MemoryStore()

  beforeAll(async () => {
    const { node, rpc } = await openDevNode({}, kv)
    await rpc('hardhat_setCode', CONTRACT, CODE)
    for (let n = 1; n <= 6; n++) {
      await rpc('eth_sendTransaction', { from: ALICE, to: `0x${String(n).padStart(40, '4')}`, value: '0x1' })
      const data = `0x${n.toString(16).padStart(64, '0')}`
      await rpc('eth_sendTransaction', { from: ALICE, to: CONTRACT, gas: '0x30000', data })
    }
    await rpc('hardhat_mine', '0x400')
    const snapshot = await rpc('evm_snapshot')
    await rpc('eth_sendTransaction', { from: ALICE, to: CONTRACT, gas: '0x30000', data: `0x${'0'.repeat(63)}9` })
    await rpc('evm_revert', snapshot)
    await rpc('eth_sendTransaction', { from: ALICE, to: CONTRACT, gas: '0x30000', data: `0x${'0'.repeat(63)}8` })
    await node.close()
  })

  const entriesOf = (column: ColumnName) => [...kv.range({ prefix: Uint8Array.of(Column[column]) })]

  /** Checks that every one of the keys is named while all of them have other values. */
  function expectNamed(damages: readonly (readonly [ColumnName, Uint8Array, Uint8Array | undefined])[]): void {
    const before = damages.map(([, key]) => ({ key, value: kv.get(key) }))
    kv.commit(damages.map(([, key, value]) => ({ key, value })))
    const { problems } = verify(kv)
    kv.commit(before)
    for (const [column, key] of damages) {
      expect(problems, column).toContainEqual(expect.objectContaining({ column, key: bytesToHex(key) }))
    }
  }

  function flipped(value: Uint8Array, at: number): Uint8Array {
    const changed = value.slice()
    const index = at < 0 ? changed.length + at : at
    changed[index] = (changed[index] as number) ^ 0x81
    return changed
  }

  function lastOf(column: ColumnName): Entry {
    const isFound = ([, value]: Entry): boolean => column !== 'code' || value.length === CODE.length / 2 - 1
    return entriesOf(column).findLast(isFound) as Entry
  }

  it('finds nothing in an intact chain with amendments, a run and an abandoned block', () => {
    const { problems, verified } = verify(kv)
    expect(problems).toEqual([])
    expect(verified).toMatchObject({ head: 1037, hasFlatView: true })
    expect(verified.transactions).toBeGreaterThanOrEqual(13)
    expect(verified.slots).toBeGreaterThanOrEqual(7)
  })

  it('names every record that is missing', () => {
    const groups: ColumnName[][] = [
      ['body', 'canonicalHash'],
      ['code', 'flatAccount', 'flatIncarnation'],
      ['blockRecord', 'receipts', 'senders'],
      ['numberByHash', 'transactionIndex'],
    ]
    for (const columns of groups) expectNamed(columns.map((column) => [column, lastOf(column)[0], undefined]))
  })

  it('names what refers to a missing header, also that of the head', () => {
    const [key] = lastOf('header')
    const before = kv.get(key)
    kv.commit([{ key, value: undefined }])
    const { problems, verified } = verify(kv)
    kv.commit([{ key, value: before }])
    expect(verified.head).toBeUndefined()
    const columns = problems.map(({ column }) => column)
    expect(columns).toEqual(expect.arrayContaining(['meta', 'canonicalHash', 'numberByHash', 'body', 'senders']))
  })

  it('accepts that a mirror lacks the bodies and receipts of old blocks', () => {
    const left = (['body', 'receipts', 'senders'] as const).flatMap((column) => entriesOf(column))
    const from = { key: keys.meta('historyFrom'), value: encodeNumber(2 ** 40) }
    kv.commit([...left.map(([key]) => ({ key, value: undefined })), from])
    const { problems } = verify(kv)
    kv.commit([...left.map(([key, value]) => ({ key, value })), { ...from, value: undefined }])
    expect(problems).toEqual([])
  })

  it('names every value that its hash or the chain contradicts', () => {
    const groups: ColumnName[][] = [
      ['header', 'preimage'],
      ['code', 'flatAccount', 'flatIncarnation'],
      ['body', 'canonicalHash', 'transactionIndex', 'numberByHash'],
    ]
    for (const columns of groups) {
      expectNamed(
        columns.map((column) => {
          const [key, value] = lastOf(column)
          return [column, key, flipped(value, -1)]
        }),
      )
    }
    const [receiptsKey, receipts] = lastOf('receipts')
    const [sendersKey, senders] = lastOf('senders')
    expectNamed([
      // The status of the first receipt; the hash of the first transaction.
      ['receipts', receiptsKey, flipped(receipts, receipts.indexOf(1))],
      ['senders', sendersKey, flipped(senders, 30)],
    ])
  })

  it('names missing and damaged nodes of the state', () => {
    const entries = entriesOf('trieNode')
    const [newest] = entries.at(-1) as Entry
    // All nodes of the newest version belong to the head. Of equal depth, none is an ancestor of another.
    const version = bytesToHex(newest.subarray(0, 7))
    const ofHead = entries.filter(([key]) => bytesToHex(key.subarray(0, 7)) === version)
    const deepest = Math.max(...ofHead.map(([key]) => key.at(-1) as number))
    const [first, ...others] = ofHead.filter(([key]) => key.at(-1) === deepest) as [Entry, ...Entry[]]
    expectNamed([
      ['trieNode', first[0], undefined],
      ...others.map(([key, value]) => ['trieNode', key, flipped(value, -1)] as const),
    ])
    const [root] = ofHead[0] as Entry
    expectNamed([['trieNode', root, flipped(kv.get(root) as Uint8Array, -2)]])
  })
})

it('describes what a store holds', async () => {
  const kv = new MemoryStore()
  const { node, rpc } = await openDevNode({}, kv)
  await rpc('eth_sendTransaction', { from: ALICE, to: CONTRACT, value: '0x1' })
  await node.close()
  expect(storeBounds(kv)).toMatchObject({ head: 1, stateFrom: 0, prunedTo: undefined })
  const steps = columnUsage(kv)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const total = Object.values(COLUMNS).flatMap(({ byte }) => [...kv.range({ prefix: Uint8Array.of(byte) })])
  const bytes = total.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  expect(step.value.reduce((sum, usage) => sum + usage.bytes, 0)).toBe(bytes)
  expect(step.value.find(({ column }) => column === 'header')?.keys).toBe(2)
  const [header] = kv.range({ prefix: keys.headersAt(1) })
  expect(storeAverages(step.value).block).toBeGreaterThan((header as Entry)[1].length)
  expect(storeBounds(new MemoryStore())).toBeUndefined()
})

it('finds nothing wrong with the slots that an erased storage leaves for a while', async () => {
  const left = new MemoryStore()
  const { node, rpc } = await openDevNode({}, left, {}, devGenesis({ fork: 'SHANGHAI' }))
  const send = (data: string, to = DESTRUCTIBLE): Promise<unknown> =>
    rpc('eth_sendTransaction', { from: ALICE, to, data, gas: '0x7a120' })
  await send(bytesToHex(CREATION.data), CREATION.to)
  await send(`0x${'1'.padStart(64, '0')}${'5'.padStart(64, '0')}`)
  await send('0x')
  await node.close()
  expect([...left.range({ prefix: Uint8Array.of(Column.flatIncarnation) })]).toHaveLength(1)
  expect(verify(left).problems).toEqual([])
  const [erased] = [...left.range({ prefix: Uint8Array.of(Column.erasedStorage) })] as [Entry]
  left.commit([{ key: erased[0], value: undefined }])
  expect(verify(left).problems).toEqual([expect.objectContaining({ column: 'flatIncarnation' })])
})
