/**
 * What the module of a named network holds.
 * @module
 */
import { bytesToBigInt, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { rlpDecodeList } from '../../rlp/rlp.ts'
import type { GenesisAccount, GenesisAlloc } from '../genesisFile.ts'

export interface NetworkGenesis {
  /** In the form of a genesis file. */
  readonly json: Readonly<Record<string, unknown>>
  /** Accounts, where they are too many for JSON. */
  readonly alloc?: GenesisAlloc
}

const ADDRESS_BYTES = 20

/**
 * Accounts that have a balance and nothing else.
 * @param base64 RLP: a list of balance and concatenated addresses by turns
 */
export function decodeAlloc(base64: string): GenesisAlloc {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return rlpDecodeList(bytes).flatMap((group): GenesisAccount[] => {
    const [balanceBytes, addresses] = group as Uint8Array[]
    const balance = bytesToBigInt(balanceBytes ?? EMPTY_BYTES)
    const accounts: GenesisAccount[] = []
    for (let at = 0; at < (addresses?.length ?? 0); at += ADDRESS_BYTES) {
      const address = (addresses as Uint8Array).subarray(at, at + ADDRESS_BYTES)
      accounts.push({ address, balance, nonce: 0n, code: EMPTY_BYTES, storage: [] })
    }
    return accounts
  })
}

/** Addresses 0x00 to 0xff with one wei each, as test networks have them. */
export const FIRST_256_ADDRESSES: Readonly<Record<string, { readonly balance: string }>> = Object.fromEntries(
  Array.from({ length: 256 }, (_, i) => [i.toString(16).padStart(40, '0'), { balance: '0x1' }]),
)
