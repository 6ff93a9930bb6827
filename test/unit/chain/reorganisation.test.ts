import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { ChainEvents } from '../../../src/chain/contract.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { openTestChain } from '../../support/chains/testChain.ts'
import { allocOf, mustFail, networkConfig, readTests } from '../../support/recorded/blockchainTests.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../support/recorded/recordedChains.ts'

const MULTI_CHAIN = recordedPath('ethereum-tests', 'BlockchainTests', 'v6', 'bcMultiChainTest')

describe('competing proof-of-work branches', () => {
  for (const [name, test] of readTests(MULTI_CHAIN)) {
    it(`keeps indexes, state and events consistent: ${name}`, async () => {
      const genesisBlock = decodeBlock(hexToBytes(test.genesisRLP))
      const chain = await openTestChain({
        config: networkConfig(test.network),
        genesis: { alloc: allocOf(test.pre), text: '{}', block: () => genesisBlock },
      })
      const canonical = [bytesToHex(chain.genesis.hash)]
      chain.events.on('reorg', ({ removed, added, commonAncestor }) => {
        expect(removed.length).toBeGreaterThan(0)
        expect(canonical[canonical.length - removed.length - 1]).toBe(bytesToHex(commonAncestor.hash))
        expect(added[0]?.header.parentHash).toEqual(commonAncestor.hash)
      })
      chain.events.on('head', ({ head, removed, added }) => {
        const gone = canonical.splice(canonical.length - removed.length)
        expect(gone).toEqual(removed.map(({ hash }) => bytesToHex(hash)))
        canonical.push(...added.map(({ hash }) => bytesToHex(hash)))
        expect(canonical.at(-1)).toBe(bytesToHex(head.hash))
      })
      for (const block of test.blocks.filter((block) => !mustFail(block, test.network))) {
        const before = chain.head
        const outcome = await chain.import(decodeBlock(hexToBytes(block.rlp)), { verifySeal: false })
        expect(['imported', 'known']).toContain(outcome.kind)
        checkInvariants(chain)
        expect(chain.head.totalDifficulty >= before.totalDifficulty).toBe(true)
        if (chain.head.totalDifficulty === before.totalDifficulty) expect(chain.head).toBe(before)
      }
      expect(canonical).toHaveLength(Number(chain.head.header.number) + 1)
    })
  }
})

const UPGRADED = recordedChainNamed('besu/fork-upgraded')
const OUTDATED = recordedChainNamed('besu/fork-outdated')

describe('chains that share their first blocks', () => {
  it('rejects the branch that did not upgrade, and keeps the common blocks', async () => {
    const chain = await openRecorded(UPGRADED)
    const outdated = await importFile(chain, [blockFile(OUTDATED)], { verifySeal: false })
    expect(outdated.end.kind).toBe('failed')
    const parting = Number(chain.head.header.number)
    expect(parting).toBeGreaterThanOrEqual(6)
    expect(chain.badBlocks()).toHaveLength(1)
    checkInvariants(chain)

    const upgraded = await importFile(chain, [blockFile(UPGRADED)], { verifySeal: false })
    expect(upgraded.end).toEqual({ kind: 'done' })
    expect(bytesToHex(chain.head.hash)).toBe(UPGRADED.head)
    expect(upgraded.skipped).toBe(7)
    checkInvariants(chain)
  })
})

const LONDON = recordedChainNamed('besu/london')

describe('moves of the head', () => {
  const open = async () => {
    const chain = await openRecorded(LONDON)
    await importFile(chain, [blockFile(LONDON)], { verifySeal: false })
    return chain
  }

  it('moves back, keeps the higher blocks, and moves forward again', async () => {
    const chain = await open()
    const top = chain.head
    const logs: ChainEvents['logs'][] = []
    chain.events.on('logs', (event) => logs.push(event))
    const target = chain.headerByNumber(2)
    if (target === undefined) throw new Error('no block 2')
    expect(await chain.setHead(target.hash)).toBe(target)
    expect(chain.head).toBe(target)
    expect(chain.headerByHash(top.hash)).toBe(top)
    expect(chain.headerByNumber(3)).toBeUndefined()
    for (const hash of chain.transactionHashes(top.hash) ?? []) expect(chain.transactionLocation(hash)).toBeUndefined()
    checkInvariants(chain)
    await chain.setHead(top.hash)
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
    checkInvariants(chain)
    expect(logs.every(({ receipts }) => receipts.some((receipt) => receipt.logs.length > 0))).toBe(true)
  })

  it('returns undefined for a block that is not stored', async () => {
    const chain = await open()
    expect(await chain.setHead(new Uint8Array(32))).toBeUndefined()
    expect(await chain.replayBlock(99)).toBeUndefined()
    expect(await chain.replayBlock(0)).toBeUndefined()
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
  })

  it('replays a block, which becomes the head', async () => {
    const chain = await open()
    const third = chain.headerByNumber(3)
    expect(await chain.replayBlock(3)).toBe(third)
    expect(chain.head).toBe(third)
    checkInvariants(chain)
  })

  it('makes known blocks the head again when they are imported', async () => {
    const chain = await open()
    const first = chain.headerByNumber(1)
    await chain.setHead(first?.hash ?? new Uint8Array(32))
    const report = await importFile(chain, [blockFile(LONDON)], { verifySeal: false })
    expect(report).toMatchObject({ end: { kind: 'done' }, imported: 0, skipped: 6 })
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
    checkInvariants(chain)
  })
})

const STAKE = recordedChainNamed('besu/pos-get-block-by')

describe('fork choice', () => {
  it('sets head, safe and finalized, and clears those that are no longer canonical', async () => {
    const chain = await openRecorded(STAKE)
    await importFile(chain, [blockFile(STAKE)])
    const [one, two, three] = [1, 2, 3].map((number) => chain.headerByNumber(number)?.hash ?? new Uint8Array(32))
    if (one === undefined || two === undefined || three === undefined) throw new Error('blocks are missing')
    expect(chain.safe).toBeUndefined()
    expect(await chain.setForkChoice({ head: three, safe: two, finalized: one })).toMatchObject({ kind: 'updated' })
    expect([chain.safe?.hash, chain.finalized?.hash]).toEqual([two, one])
    expect(await chain.setForkChoice({ head: new Uint8Array(32) })).toEqual({ kind: 'unknown', which: 'head' })
    expect(await chain.setForkChoice({ head: one, safe: two })).toEqual({ kind: 'notAncestor', which: 'safe' })
    expect(await chain.setForkChoice({ head: one })).toMatchObject({ kind: 'updated' })
    expect(chain.head.hash).toEqual(one)
    expect([chain.safe, chain.finalized?.hash]).toEqual([undefined, one])
    checkInvariants(chain)
  })

  it('stores a block without making it the head until requested', async () => {
    const source = await openRecorded(STAKE)
    await importFile(source, [blockFile(STAKE)])
    const chain = await openRecorded(STAKE)
    for (const number of [1, 2, 3]) {
      const hash = source.canonicalHash(number) ?? new Uint8Array(32)
      const block = decodeBlock(source.blockRlp(hash) ?? new Uint8Array(0))
      expect(await chain.import(block, { mayBecomeHead: false })).toMatchObject({ kind: 'imported', isHead: false })
    }
    expect(chain.head).toBe(chain.genesis)
    checkInvariants(chain)
    await chain.setForkChoice({ head: source.head.hash })
    expect(chain.head.hash).toEqual(source.head.hash)
    checkInvariants(chain)
  })
})
