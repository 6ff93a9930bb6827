/**
 * Request and answer of eth_getStorageValues.
 * @module
 */

import { invalidParams } from '../../api/errors.ts'
import { MAX_STORAGE_VALUES } from '../../base/limits/limits.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { Codec } from '../method.ts'
import { address, hash32, word } from './scalars.ts'
import { answerCodec, arrayOf, asObject, parameterCodec } from './support.ts'

export interface StorageRequest {
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

const slotList = arrayOf(word)
const SCHEMA = { type: 'object', additionalProperties: { type: 'array', items: hash32.schema } }

export const storageRequest: Codec<readonly StorageRequest[]> = parameterCodec(
  { ...SCHEMA, title: 'Slots by account' },
  (value, profile) => {
    const requests = Object.entries(asObject(value, 'requests')).map(([account, slots]) => ({
      address: address.parse(account, profile),
      slots: slotList.parse(slots),
    }))
    const slots = requests.reduce((sum, request) => sum + request.slots.length, 0)
    if (slots === 0) throw invalidParams('empty request')
    if (slots > MAX_STORAGE_VALUES)
      throw invalidParams(`too many slots (max ${MAX_STORAGE_VALUES})`, {
        expected: `at most ${MAX_STORAGE_VALUES} slots`,
        got: String(slots),
      })
    return requests
  },
)

export interface StorageValues {
  readonly address: Uint8Array
  readonly values: readonly Uint8Array[]
}

export const storageValues: Codec<readonly StorageValues[]> = answerCodec(
  { ...SCHEMA, title: 'Values by account' },
  (accounts) =>
    Object.fromEntries(accounts.map(({ address, values }) => [bytesToHex(address), values.map(bytesToHex)])),
)
