import { describe, expect, it } from 'vitest'
import { requireBlock } from '../../../../adapters/page/rpc/requireBlock.ts'
import type { Block } from '../../../../adapters/page/rpc/types.ts'
import { followHead, MAX_RECENT } from '../../../../adapters/page/state/recentBlocks.ts'

const blockOf = (branch: string, number: number, parent = branch): Block =>
  ({ number: `0x${number.toString(16)}`, hash: `${branch}${number}`, parentHash: `${parent}${number - 1}` }) as Block

/** Blocks 0 to `head` of a branch that leaves branch `a` after block `fork`. */
function chain(branch: string, head: number, fork = -1): Block[] {
  return Array.from({ length: head + 1 }, (_, number) => {
    if (number <= fork) return blockOf('a', number)
    return blockOf(branch, number, number === fork + 1 && fork >= 0 ? 'a' : branch)
  })
}

function node(blocks: readonly Block[]) {
  const asked: number[] = []
  const fetchBlock = async (number: number): Promise<Block | null> => {
    asked.push(number)
    return blocks[number] ?? null
  }
  return { head: blocks.at(-1) as Block, asked, fetchBlock }
}

const hashes = (blocks: readonly Block[]): string[] => blocks.map(({ hash }) => hash)

describe('the latest blocks', () => {
  it('fetch the blocks between two heads, and no others', async () => {
    const { head, asked, fetchBlock } = node(chain('a', 10))
    const { blocks, removed } = await followHead(chain('a', 7).toReversed(), head, fetchBlock)
    expect(asked).toEqual([9, 8])
    expect(hashes(blocks).slice(0, 4)).toEqual(['a10', 'a9', 'a8', 'a7'])
    expect(removed).toEqual([])
  })

  it('are bounded, also when the page was away for long', async () => {
    const { head, asked, fetchBlock } = node(chain('a', 200))
    const { blocks, removed } = await followHead(chain('a', 5).toReversed(), head, fetchBlock)
    expect(blocks).toHaveLength(MAX_RECENT)
    expect(asked).toHaveLength(MAX_RECENT - 1)
    expect(removed).toEqual([])
  })

  it('name the blocks that a reorganisation removed', async () => {
    const { head, fetchBlock } = node(chain('b', 9, 6))
    const { blocks, removed } = await followHead(chain('a', 8).toReversed(), head, fetchBlock)
    expect(hashes(blocks).slice(0, 4)).toEqual(['b9', 'b8', 'b7', 'a6'])
    expect(hashes(removed)).toEqual(['a8', 'a7'])
  })

  it('notice a head that went back', async () => {
    const { head, fetchBlock } = node(chain('a', 4))
    const { blocks, removed } = await followHead(chain('a', 6).toReversed(), head, fetchBlock)
    expect(hashes(blocks)).toEqual(['a4', 'a3', 'a2', 'a1', 'a0'])
    expect(hashes(removed)).toEqual(['a6', 'a5'])
  })

  it('end before a block that does not fit, because the chain moved between two requests', async () => {
    const blocks = chain('a', 10)
    blocks[8] = blockOf('b', 8)
    const { head, fetchBlock } = node(blocks)
    const recent = await followHead([], head, fetchBlock)
    expect(hashes(recent.blocks)).toEqual(['a10', 'a9'])
  })

  it('have an end when the number of the head is absurd', async () => {
    const asked: number[] = []
    const head = { ...blockOf('a', 1), number: `0x${'f'.repeat(64)}` }
    const recent = await followHead([], head, async (number) => {
      asked.push(number)
      return null
    })
    expect(asked.length).toBeLessThan(MAX_RECENT)
    expect(hashes(recent.blocks)).toEqual(['a1'])
  })
})

describe('a block of the node', () => {
  it('must have the form that the page relies on', () => {
    const hash = `0x${'1'.repeat(64)}`
    const texts = { number: '0x1', timestamp: '0x1', gasUsed: '0x0', gasLimit: '0x1', miner: '0x', extraData: '0x' }
    const block = { ...texts, hash, parentHash: hash, transactions: [hash] }
    expect(requireBlock(block)).toBe(block)
    const broken = [
      null,
      'text',
      {},
      { ...block, hash: '0x1' },
      { ...block, number: {} },
      { ...block, transactions: [{ hash }] },
      { ...block, baseFeePerGas: 7 },
    ]
    for (const each of broken) expect(() => requireBlock(each), JSON.stringify(each)).toThrow(TypeError)
  })
})
