/**
 * The genesis of a named network.
 * @module
 */
import { bytesToBigInt, EMPTY_BYTES, readUint } from '../../base/primitives/bytes.ts'
import type { GenesisAccount, GenesisAlloc } from '../genesisFile.ts'

export interface NetworkGenesis {
  /** In the form of a genesis file. */
  readonly json: Readonly<Record<string, unknown>>
  /** An allocation too large for JSON. */
  readonly loadAlloc?: () => Promise<GenesisAlloc>
}

const ADDRESS_BYTES = 20

/**
 * Decodes accounts that have only a balance, grouped by balance.
 * @param base64 of groups: length of the balance (1 byte), balance, number of accounts (2 bytes), their addresses
 */
function decodeAlloc(base64: string): GenesisAlloc {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const accounts: GenesisAccount[] = []
  for (let at = 0; at < bytes.length; ) {
    const counts = at + 1 + readUint(bytes, at, 1)
    const balance = bytesToBigInt(bytes.subarray(at + 1, counts))
    const end = counts + 2 + readUint(bytes, counts, 2) * ADDRESS_BYTES
    for (at = counts + 2; at < end; at += ADDRESS_BYTES) {
      const address = bytes.subarray(at, at + ADDRESS_BYTES)
      accounts.push({ address, balance, nonce: 0n, code: EMPTY_BYTES, storage: [] })
    }
  }
  return accounts
}

/** The accounts of the main network, which are also Ethereum Classic's. */
export async function loadMainnetAlloc(): Promise<GenesisAlloc> {
  const { MAINNET_ALLOC } = await import('./mainnetAlloc.ts')
  return decodeAlloc(MAINNET_ALLOC)
}

/** Addresses 0x00 to 0xff with one wei each, as in the genesis of test networks. */
export const FIRST_256_ADDRESSES: Readonly<Record<string, { readonly balance: string }>> = Object.fromEntries(
  Array.from({ length: 256 }, (_, i) => [i.toString(16).padStart(40, '0'), { balance: '0x1' }]),
)
