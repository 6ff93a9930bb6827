/**
 * The transaction call object of eth_call, eth_estimateGas, eth_createAccessList, eth_simulateV1 and trace_call.
 * @module
 */

import type { CallObject } from '../../api/calls/contract.ts'
import { invalidParams, unexpectedValue } from '../../api/errors.ts'
import type { RpcProfile } from '../../api/profile.ts'
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { described } from '../../base/primitives/printable.ts'
import type { AccessList, Authorization } from '../../types/transaction.ts'
import type { Codec } from '../method.ts'
import { address, boolean, data, hash32, slotWord, uint64, wei } from './scalars.ts'
import { ACCESS_LIST, AUTHORIZATION } from './schemas.ts'
import { arrayOf, asObject, type JsonObject, member, parameterCodec } from './support.ts'

const slots = arrayOf(slotWord)

export const accessList: Codec<AccessList> = {
  schema: ACCESS_LIST,
  parse: (value, profile) => {
    if (!Array.isArray(value)) throw unexpectedValue('an array', described(value), 'access list')
    return value.map((item) => {
      const entry = asObject(item, 'access list entry')
      const account = member(entry, 'address', address, profile)
      if (account === undefined) throw unexpectedValue('an address', 'none', 'access list entry')
      return { address: account, storageKeys: member(entry, 'storageKeys', slots, profile) ?? [] }
    })
  },
  serialize: (list) =>
    list.map((entry) => ({
      address: address.serialize(entry.address),
      storageKeys: entry.storageKeys.map(hash32.serialize),
    })),
}

const authorization: Codec<Authorization> = parameterCodec(AUTHORIZATION, (value, profile) => {
  const entry = asObject(value, 'authorization')
  const delegate = member(entry, 'address', address, profile)
  if (delegate === undefined) throw unexpectedValue('an address', 'none', 'authorization')
  return {
    chainId: member(entry, 'chainId', wei) ?? 0n,
    address: delegate,
    nonce: member(entry, 'nonce', uint64) ?? 0n,
    yParity: member(entry, 'yParity', wei) ?? member(entry, 'v', wei) ?? 0n,
    r: member(entry, 'r', wei) ?? 0n,
    s: member(entry, 's', wei) ?? 0n,
  }
})

const authorizations = arrayOf(authorization)
const hashes = arrayOf(hash32)

/** Keys other than these are ignored. */
export const genericTransaction: Codec<CallObject> = parameterCodec(
  {
    title: 'GenericTransaction',
    type: 'object',
    properties: {
      from: address.schema,
      to: { oneOf: [address.schema, { type: 'null' }] },
      gas: uint64.schema,
      gasPrice: wei.schema,
      maxPriorityFeePerGas: wei.schema,
      maxFeePerGas: wei.schema,
      maxFeePerBlobGas: wei.schema,
      value: wei.schema,
      input: data.schema,
      data: data.schema,
      nonce: uint64.schema,
      chainId: wei.schema,
      accessList: ACCESS_LIST,
      blobVersionedHashes: hashes.schema,
      authorizationList: authorizations.schema,
      strict: { type: 'boolean' },
    },
  },
  (value, profile) => {
    const call = asObject(value, 'call')
    return {
      from: member(call, 'from', address, profile),
      to: recipient(call, profile),
      gas: member(call, 'gas', uint64),
      gasPrice: member(call, 'gasPrice', wei),
      maxPriorityFeePerGas: member(call, 'maxPriorityFeePerGas', wei),
      maxFeePerGas: member(call, 'maxFeePerGas', wei),
      maxFeePerBlobGas: member(call, 'maxFeePerBlobGas', wei),
      value: member(call, 'value', wei),
      data: payload(call),
      nonce: member(call, 'nonce', uint64),
      chainId: member(call, 'chainId', wei),
      strict: member(call, 'strict', boolean),
      accessList: member(call, 'accessList', accessList, profile),
      blobVersionedHashes: member(call, 'blobVersionedHashes', hashes),
      authorizationList: member(call, 'authorizationList', authorizations, profile),
    }
  },
)

/** Clients write a creation without `to`, with null, or with an empty string. */
function recipient(call: JsonObject, profile: RpcProfile | undefined): Uint8Array | undefined {
  const to = call['to']
  return to === '' || to === '0x' ? undefined : member(call, 'to', address, profile)
}

/** `input` and `data` are synonyms. */
function payload(call: JsonObject): Uint8Array {
  const input = member(call, 'input', data)
  const legacy = member(call, 'data', data)
  if (input !== undefined && legacy !== undefined && !equalBytes(input, legacy)) {
    throw invalidParams(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  return input ?? legacy ?? EMPTY_BYTES
}
