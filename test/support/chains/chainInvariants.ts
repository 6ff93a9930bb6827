import { expect } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'

/**
 * Checks the invariants of a chain: the canonical index leads from the head to genesis and ends at the head, every
 * canonical transaction is found at its position, and the head's state has the root in its header.
 */
export function checkInvariants(chain: Chain): void {
  const head = Number(chain.head.header.number)
  let hash = chain.head.hash
  for (let number = head; number >= 0; number--) {
    expect(bytesToHex(chain.canonicalHash(number) ?? new Uint8Array(0)), `canonical hash of ${number}`).toBe(
      bytesToHex(hash),
    )
    const block = chain.headerByNumber(number)
    if (block === undefined) throw new Error(`block ${number} is missing`)
    for (const [index, transaction] of (chain.transactionHashes(hash) ?? []).entries()) {
      expect(chain.transactionLocation(transaction)).toEqual({ blockHash: hash, blockNumber: number, index })
    }
    expect(chain.receipts(hash)?.length).toBe(chain.body(hash)?.transactions.length)
    hash = block.header.parentHash
  }
  expect(chain.canonicalHash(head + 1)).toBeUndefined()
  checkState(chain)
}

/** Checks that reads through the flat view and proofs through the trie agree with the root. */
function checkState(chain: Chain): void {
  const state = chain.stateAt(chain.head)
  for (const { address, account } of state.accounts(new Uint8Array(32), 50)) {
    if (address === undefined) continue
    expect(state.getAccount(address)).toEqual(account)
  }
  expect(bytesToHex(state.root.hash)).toBe(bytesToHex(chain.head.header.stateRoot))
}
