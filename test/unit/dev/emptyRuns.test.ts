/** Runs of empty blocks: what clients and contracts see of blocks that are derived. */
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()
type Rpc = OpenedNode['rpc']

interface BlockJson {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly stateRoot: string
  readonly timestamp: string
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`

function blockAt(rpc: Rpc, number: number): Promise<BlockJson> {
  return rpc('eth_getBlockByNumber', hex(number), false)
}

describe('a run of empty blocks', () => {
  it('has 10,000 blocks that are linked by their hashes', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', hex(10_000), hex(12))
    expect(await rpc('eth_blockNumber')).toBe(hex(10_000))
    let parent = await blockAt(rpc, 0)
    for (let number = 1; number <= 10_000; number++) {
      const block = await blockAt(rpc, number)
      expect(block.parentHash).toBe(parent.hash)
      if (number > 1) expect(Number(block.timestamp) - Number(parent.timestamp)).toBe(12)
      if (number % 97 === 0) {
        const header = hexToBytes(await rpc<string>('debug_getRawHeader', hex(number)))
        expect(bytesToHex(keccak256(header))).toBe(block.hash)
        expect(await rpc('eth_getBlockByHash', block.hash, false)).toEqual(block)
      }
      parent = block
    }
  })
})
