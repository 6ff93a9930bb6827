/**
 * The transaction that a client asks the node to create: a call object with a transaction type.
 * @module
 */

import type { CallObject } from '../../../api/calls/contract.ts'
import { invalidParams } from '../../../api/errors.ts'
import { genericTransaction } from '../../codecs/callObject.ts'
import { uint64 } from '../../codecs/scalars.ts'
import { asObject, member, parameterCodec } from '../../codecs/support.ts'
import type { Codec } from '../../method.ts'

/** Types that the node can create. */
export type MadeType = 0 | 1 | 2 | 4

export interface TransactionRequest extends CallObject {
  /** undefined: implied by the other members. */
  readonly type: MadeType | undefined
}

/** Members of a call object that only some types have. */
const MEMBERS_OF_TYPES: readonly (readonly [keyof CallObject, readonly MadeType[]])[] = [
  ['gasPrice', [0, 1]],
  ['maxFeePerGas', [2, 4]],
  ['maxPriorityFeePerGas', [2, 4]],
  ['accessList', [1, 2, 4]],
  ['authorizationList', [4]],
]

/** Checks members against each other, so that no member is ignored silently. */
export const transactionRequest: Codec<TransactionRequest> = parameterCodec(
  { ...genericTransaction.schema, title: 'TransactionRequest' },
  (value, profile) => {
    const fields = asObject(value, 'transaction')
    const call = genericTransaction.parse(value, profile)
    const type = member(fields, 'type', uint64)
    if (type === 3n || call.blobVersionedHashes !== undefined || fields['blobs'] != null) {
      throw invalidParams('the node does not create blob transactions: sign them and use eth_sendRawTransaction')
    }
    if (type !== undefined && type > 4n)
      throw invalidParams(`type: there are no transactions of type ${type}`, { expected: '0 to 4', got: String(type) })
    const request = { ...call, type: type === undefined ? undefined : (Number(type) as MadeType) }
    checkMembers(request)
    if (request.to === undefined && request.data.length === 0) {
      throw invalidParams('contract creation without any data provided', { expected: 'to or data', got: 'neither' })
    }
    return request
  },
)

function checkMembers(request: TransactionRequest): void {
  const { type, gasPrice, authorizationList, to } = request
  for (const [name, types] of MEMBERS_OF_TYPES) {
    if (request[name] === undefined) continue
    if (type !== undefined && !types.includes(type)) {
      throw invalidParams(`${name}: not allowed in a transaction of type ${type}`)
    }
    if (gasPrice !== undefined && !types.includes(1)) throw invalidParams(`both gasPrice and ${name} are specified`)
  }
  if (type === 4 && authorizationList === undefined) throw invalidParams('authorizationList is missing')
  if (authorizationList !== undefined && to === undefined) {
    throw invalidParams('to: a set-code transaction cannot create a contract')
  }
}
