import { describe, expect, it } from 'vitest'
import { bodyRlp, encodedBlock, prepareBlocks, withSeal } from '../../../src/chain/preparedBlock.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { ALICE, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

/** A transaction that cannot be encoded. */
function unreadable<T extends object>(transaction: T): T {
  return new Proxy(transaction, {
    get: () => {
      throw new Error('the transaction is encoded again')
    },
  })
}

describe('a seal', () => {
  it('changes the header, and nothing else is encoded again', async () => {
    const chain = await openDevChain()
    await sealBlocks(chain, [
      { transactions: [plannedOf(await signed(ALICE, { nonce: 0 })), plannedOf(await signed(ALICE, { nonce: 1 }))] },
    ])
    const [rlp] = [...chain.exportBlocks({ startBlock: 1 })] as [Uint8Array]
    const block = decodeBlock(rlp)
    const [prepared] = await prepareBlocks([encodedBlock(block, chain.consensus, rlp)], TEST_SENDERS)
    if (prepared === undefined) throw new Error('nothing was prepared')
    const transactions = block.transactions.map(unreadable)
    for (const length of [0, 1, 100, 70_000]) {
      const extraData = new Uint8Array(length).fill(1)
      const header = { ...block.header, extraData }
      const expected = encodedBlock({ ...block, header }, chain.consensus)
      const sealed = withSeal({ ...prepared, block: { ...block, transactions } }, { extraData }, chain)
      expect(sealed.rlp).toEqual(expected.rlp)
      expect(sealed.hash).toEqual(expected.hash)
      expect(sealed.encodings).toEqual(expected.encodings)
      expect(bodyRlp(sealed)).toEqual(bodyRlp(expected))
      expect(sealed.block.header).toEqual(header)
      expect(sealed.transactions).toBe(prepared.transactions)
    }
  })
})
