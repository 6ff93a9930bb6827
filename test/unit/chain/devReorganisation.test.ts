import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { BOB, openDevChain, planBlock, sealBlocks } from '../../support/nodes/devChain.ts'

describe('a reorganisation of the dev chain', () => {
  it('changes nothing when it fails after a part of it was committed', async () => {
    const chain = await openDevChain({ moveBounds: { atomicBlocks: 2, stepBlocks: 1 } })
    const dev = devWriter(chain)
    await sealBlocks(chain, Array(6).fill({}))
    await dev.amendHead((state) => state.setBalance(hexToBytes(BOB.address), 7n))
    const { head } = chain
    const heads: bigint[] = []
    chain.events.on('head', (event) => heads.push(event.head.header.number))
    let built = 0
    const failing = dev.reorganise(
      4,
      (parent) => {
        if (built === 3) throw new Error('no further block')
        return planBlock(parent, { beneficiary: new Uint8Array(20).fill(5) })
      },
      () => {
        built++
      },
    )
    await expect(failing).rejects.toThrow('no further block')
    expect(heads).toContain(3n)
    expect(chain.head.hash).toEqual(head.hash)
    expect(chain.stateAt(chain.head).getAccount(hexToBytes(BOB.address))?.balance).toBe(7n)
    await sealBlocks(chain, [{}])
    expect(chain.stateAt(chain.head).getAccount(hexToBytes(BOB.address))?.balance).toBe(7n)
    expect(chain.head.header.parentHash).toEqual(head.hash)
    await dev.reorganise(
      4,
      (parent) => planBlock(parent, { beneficiary: new Uint8Array(20).fill(5) }),
      () => {},
    )
    expect(chain.head.header.number).toBe(7n)
    checkInvariants(chain)
  })
})
