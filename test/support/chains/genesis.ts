/**
 * State root of a genesis, computed by the slow oracle of the trie tests, and the resulting block hash.
 * @module
 */

import { bigIntToBytes, bytesToHex, trimLeadingZeros } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import type { Genesis, GenesisAlloc } from '../../../src/config/genesisFile.ts'
import { genesisHeader } from '../../../src/types/genesisHeader.ts'
import { hashHeader } from '../../../src/types/headerCodec.ts'
import { naiveRoot } from '../../unit/trie/naiveTrie.ts'

export function allocRoot(alloc: GenesisAlloc): Uint8Array {
  return naiveRoot(
    Array.from(alloc, ({ address, balance, nonce, code, storage }) => {
      const slots = storage.map(([slot, value]) => [keccak256(slot), rlpEncode(trimLeadingZeros(value))] as const)
      const account = [bigIntToBytes(nonce), bigIntToBytes(balance), naiveRoot(slots), keccak256(code)]
      return [keccak256(address), rlpEncode(account)] as const
    }),
  )
}

export function genesisHash(genesis: Genesis): string {
  return bytesToHex(hashHeader(genesisHeader(genesis, allocRoot(genesis.alloc))))
}
