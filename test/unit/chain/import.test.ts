import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes } from '../../../src/base/primitives/bytes.ts'
import { BlockSplitter } from '../../../src/types/blockSplitter.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import {
  blockFile,
  importFile,
  inPieces,
  openRecorded,
  recordedChainNamed,
} from '../../support/recorded/recordedChains.ts'

const LONDON = recordedChainNamed('besu/london')
const UNSEALED = { verifySeal: false }

const SEED = 20_260_101

describe('blocks import', () => {
  const file = blockFile(LONDON)
  const blocks = new BlockSplitter().push(file)
  /** Index of the block that the byte belongs to. */
  const blockAt = (offset: number): number => {
    let end = 0
    return blocks.findIndex((block) => {
      end += block.length
      return offset < end
    })
  }

  it('keeps everything before the first wrong bit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length * 8 - 1), async (bit) => {
        const spoiled = file.slice()
        spoiled[bit >> 3] = (spoiled[bit >> 3] as number) ^ (1 << (bit & 7))
        const chain = await openRecorded(LONDON)
        const report = await importFile(chain, [spoiled], UNSEALED)
        const broken = blockAt(bit >> 3)
        const head = Number(chain.head.header.number)
        expect(head).toBeGreaterThanOrEqual(Math.max(0, broken - 1))
        if (report.end.kind === 'failed') {
          expect(report.end.reason).toContain(`Invalid block at block number ${report.end.number}: `)
          expect(Number(report.end.number)).toBeGreaterThanOrEqual(0)
        } else {
          // Only an invalid seal in the last block may remain undetected.
          expect(broken).toBe(blocks.length - 1)
        }
        checkInvariants(chain)
      }),
      { seed: SEED, numRuns: 60 },
    )
  }, 60_000)

  it('keeps every complete block of a truncated file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: file.length - 1 }),
        fc.integer({ min: 1, max: 2000 }),
        async (end, piece) => {
          const chain = await openRecorded(LONDON)
          const report = await importFile(chain, inPieces(file.subarray(0, end), piece), UNSEALED)
          const whole = blockAt(end)
          const isBoundary = file.subarray(0, end).length === concatBytes(...blocks.slice(0, whole)).length
          expect(Number(chain.head.header.number)).toBe(Math.max(0, whole - 1))
          if (isBoundary) expect(report.end).toEqual({ kind: 'done' })
          else expect(report.end).toMatchObject({ kind: 'failed', number: BigInt(whole) })
        },
      ),
      { seed: SEED, numRuns: 30 },
    )
  }, 60_000)

  it('imports a range and then the rest', async () => {
    const chain = await openRecorded(LONDON)
    const part = await importFile(chain, [file], { ...UNSEALED, endBlock: 3n })
    expect(part).toMatchObject({ end: { kind: 'done' }, imported: 2, skipped: 1, lastBlock: 2n })
    const gap = await importFile(chain, [file], { ...UNSEALED, startBlock: 4n })
    expect(gap.end).toMatchObject({ kind: 'failed', number: 4n })
    const rest = await importFile(chain, [file], { ...UNSEALED, startBlock: 3n })
    expect(rest).toMatchObject({ end: { kind: 'done' }, imported: 3, skipped: 3 })
    expect(bytesToHex(chain.head.hash)).toBe(LONDON.head)
  })

  it('refuses the file of another chain', async () => {
    const chain = await openRecorded(LONDON)
    const other = recordedChainNamed('besu/trace')
    const report = await importFile(chain, [blockFile(other)], UNSEALED)
    expect(report.end).toMatchObject({ kind: 'failed', number: 0n })
    expect(report.imported).toBe(0)
  })

  it('stops when it is aborted', async () => {
    const chain = await openRecorded(LONDON)
    const abort = new AbortController()
    abort.abort()
    const report = await importFile(chain, [file], { ...UNSEALED, signal: abort.signal })
    expect(report.end).toEqual({ kind: 'aborted' })
    expect(chain.head).toBe(chain.genesis)
  })

  it('reports progress', async () => {
    const chain = await openRecorded(LONDON)
    const seen: number[] = []
    const report = await importFile(chain, [file], {
      ...UNSEALED,
      totalBytes: file.length,
      onProgress: ({ imported, remainingMs }) => seen.push(imported, remainingMs ?? -1),
    })
    expect(seen).toEqual([5, 0])
    expect(report).toMatchObject({ imported: 5, transactions: 4, bytesRead: file.length, remainingMs: 0 })
    expect(report.gasUsed).toBeGreaterThan(0n)
  })

  it('propagates errors of the source that do not concern blocks', async () => {
    const chain = await openRecorded(LONDON)
    const source = function* (): Generator<Uint8Array> {
      yield file.subarray(0, 1000)
      throw new Error('the file went away')
    }
    await expect(importFile(chain, source(), UNSEALED)).rejects.toThrow('the file went away')
  })
})

describe('blocks export', () => {
  it('writes the requested range', async () => {
    const chain = await openRecorded(LONDON)
    const file = blockFile(LONDON)
    await importFile(chain, [file], UNSEALED)
    const blocks = new BlockSplitter().push(file).map(bytesToHex)
    const exported = (range: { startBlock?: number; endBlock?: number }) =>
      [...chain.exportBlocks(range)].map(bytesToHex)
    expect(exported({})).toEqual(blocks)
    expect(exported({ endBlock: 2 })).toEqual(blocks.slice(0, 2))
    expect(exported({ startBlock: 2 })).toEqual(blocks.slice(2))
    expect(exported({ startBlock: 1, endBlock: 3 })).toEqual(blocks.slice(1, 3))
    expect(exported({ endBlock: 1000 })).toEqual(blocks)
    expect(() => chain.exportBlocks({ startBlock: -1 })).toThrow(
      'Parameter --start-block (-1) must be greater than or equal to zero.',
    )
    expect(() => chain.exportBlocks({ startBlock: 3, endBlock: 3 })).toThrow(
      'Parameter --end-block (3) must be greater start block (3).',
    )
  })
})
