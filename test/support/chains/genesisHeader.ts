import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import type { Header } from '../../../src/types/block.ts'

/** The header of an empty genesis block of a chain with signers. */
export function genesisHeader(fields: Pick<Header, 'gasLimit' | 'timestamp' | 'extraData' | 'mixHash'>): Header {
  return {
    parentHash: new Uint8Array(32),
    ommersHash: EMPTY_LIST_HASH,
    beneficiary: new Uint8Array(20),
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 1n,
    number: 0n,
    gasUsed: 0n,
    nonce: new Uint8Array(8),
    ...fields,
  }
}
