import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { concatBytes, equalBytes } from '../../../src/base/primitives/bytes.ts'
import type { Block } from '../../../src/types/block.ts'
import { decodeBlock, encodeBlock } from '../../../src/types/blockCodec.ts'
import { BlockSplitter, readBlocks } from '../../../src/types/blockSplitter.ts'
import { hashHeader } from '../../../src/types/headerCodec.ts'
import { transactionSender } from '../../../src/types/transactionCodec.ts'
import { conformancePath, recordedPath } from '../../support/recorded/conformance.ts'

const root = recordedPath()

/** Chains whose block hash omits seals, as their consensus engine defines it. */
const OWN_HASHES = ['ibft', 'qbft', 'privacy']

function blockFiles(): string[] {
  const besu = readdirSync(path.join(root, 'besu')).map((chain) => `besu/${chain}/blocks.bin`)
  return [...besu, 'execution-apis/chain.rlp', 'execution-apis-cancun/chain.rlp'].filter(
    (file) => conformancePath(file) !== undefined,
  )
}

function read(file: string): Uint8Array {
  return new Uint8Array(readFileSync(path.join(root, file)))
}

async function collect(chunks: Iterable<Uint8Array>): Promise<Uint8Array[]> {
  const blocks: Uint8Array[] = []
  for await (const block of readBlocks(chunks)) blocks.push(block)
  return blocks
}

function* chunksOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('recorded block files', () => {
  for (const file of blockFiles()) {
    it(`${file}: encodes to the same bytes, with linked hashes`, async () => {
      const bytes = read(file)
      const encoded = await collect([bytes])
      const blocks = encoded.map((rlp): Block => decodeBlock(rlp))
      expect(equalBytes(concatBytes(...blocks.map(encodeBlock)), bytes)).toBe(true)
      const areLinked = blocks
        .slice(1)
        .map(({ header }, i) => equalBytes(header.parentHash, hashHeader((blocks[i] as Block).header)))
      const hasOwnHashes = OWN_HASHES.some((name) => file.includes(name))
      if (!hasOwnHashes) expect(areLinked).not.toContain(false)
    })
  }

  it('every transaction has a sender', () => {
    for (const rlp of new BlockSplitter().push(read('besu/trace/blocks.bin')))
      for (const transaction of decodeBlock(rlp).transactions) expect(transactionSender(transaction)).toBeDefined()
  })
})

describe('splitting a stream of blocks', () => {
  it('does not depend on where the chunks end', async () => {
    const bytes = read('besu/trace/blocks.bin')
    const whole = await collect([bytes])
    for (const size of [1, 2, 7, 536, 4096]) expect(await collect(chunksOf(bytes, size))).toEqual(whole)
  })

  it('reports the offset read so far', () => {
    const bytes = read('besu/london/blocks.bin')
    const splitter = new BlockSplitter()
    const blocks = splitter.push(bytes)
    expect(splitter.offset).toBe(bytes.length)
    expect(blocks).toHaveLength(6)
    splitter.finish()
  })
})

describe('a broken stream of blocks', () => {
  it('is refused when it ends within a block', async () => {
    await expect(collect([Uint8Array.of(0xc3, 1, 2)])).rejects.toThrow('the data ends within a block')
    await expect(collect([Uint8Array.of(0xc0, 0xf9, 2)])).rejects.toThrow('invalid block data at byte 1')
  })

  it('is refused when it is not RLP lists', async () => {
    await expect(collect([Uint8Array.of(0xc0, 0x81, 0x80)])).rejects.toThrow('at byte 1: expected an RLP list')
    await expect(collect([Uint8Array.of(0xf8, 1, 0)])).rejects.toThrow('length not minimal')
  })

  it('is refused when a block declares an excessive length', async () => {
    await expect(collect([Uint8Array.of(0xfb, 0xff, 0xff, 0xff, 0xff)])).rejects.toThrow('more than the limit')
  })
})
