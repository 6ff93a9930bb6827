import { invalidDump } from '../../chain/dev/invalidDump.ts'
import type { GenesisAccount } from '../../state/genesisState.ts'
import { address, data, uint64, wei, word } from '../codecs/scalars.ts'
import { asObject, isObject } from '../codecs/support.ts'

/** An account in the form of anvil. */
export function dumpedAccount(key: string, value: unknown): GenesisAccount {
  const { nonce, balance, code, storage } = asObject(value, 'account')
  const bytes = code === undefined ? undefined : data.parse(code)
  return {
    address: address.parse(key),
    balance: wei.parse(balance),
    nonce: uint64.parse(nonce),
    ...(bytes === undefined || bytes.length === 0 ? {} : { code: bytes }),
    storage: dumpedStorage(storage),
  }
}

export function dumpedStorage(json: unknown): (readonly [Uint8Array, Uint8Array])[] {
  if (!isObject(json)) throw invalidDump('a storage is not an object')
  return Object.entries(json).map(([slot, value]) => [word.parse(slot), word.parse(value)])
}
