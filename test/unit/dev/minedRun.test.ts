/** Many blocks at once, and what can be read between them. */
import { describe, expect, it } from 'vitest'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const open = closedAfterEach()
const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935'

interface BlockJson {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly stateRoot: string
  readonly timestamp: string
}

function blockAt(rpc: OpenedNode['rpc'], number: number): Promise<BlockJson> {
  return rpc('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
}

describe('hardhat_mine of many blocks', () => {
  it('mines the blocks that single requests mine', async () => {
    const [together, apart] = [await open(), await open()]
    const count = 300
    await together.rpc('hardhat_mine', `0x${count.toString(16)}`)
    for (let i = 0; i < count; i++) await apart.rpc('evm_mine')
    expect(await blockAt(together.rpc, count)).toEqual(await blockAt(apart.rpc, count))
    expect(await blockAt(together.rpc, 77)).toEqual(await blockAt(apart.rpc, 77))
  })

  it('answers state, proofs and hashes of every block between', async () => {
    const { rpc } = await open()
    await rpc('hardhat_mine', '0x64', '0xc')
    for (const number of [1, 2, 50, 99, 100]) {
      const block = await blockAt(rpc, number)
      const parent = await blockAt(rpc, number - 1)
      expect(block.parentHash).toBe(parent.hash)
      if (number > 1) expect(Number(block.timestamp) - Number(parent.timestamp)).toBe(12)
      const slot = `0x${(number - 1).toString(16)}`
      expect(await rpc('eth_getStorageAt', HISTORY, slot, block.number)).toBe(parent.hash)
      const proof = await rpc<{ storageProof: { value: string; proof: string[] }[] }>('eth_getProof', HISTORY, [slot], {
        blockHash: block.hash,
      })
      expect(BigInt(proof.storageProof[0]?.value ?? 0)).toBe(BigInt(parent.hash))
      expect(proof.storageProof[0]?.proof.length).toBeGreaterThan(0)
    }
  })
})
