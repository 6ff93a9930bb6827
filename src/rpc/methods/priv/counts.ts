import { fromBase64 } from '../../../base/primitives/base64.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { legacyGroupId } from '../../../private/privacy/groups.ts'
import { keyText, keyTexts } from '../../codecs/privacy.ts'
import { address, uint } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ACCOUNT, PRIVACY_GROUP } from '../support/parameterTexts.ts'
import { isPrivate, PRIVATE_ERRORS, type PrivacyBackend, privacyOf, userOf } from './backend.ts'
import { groupIdOf } from './groupParameter.ts'

const NONCE_ERROR = 'GET_PRIVATE_TRANSACTION_NONCE_ERROR'

export const getTransactionCount: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_getTransactionCount',
  group: 'PRIV',
  summary: 'Nonce of an account in a privacy group.',
  params: [param('address', address, ACCOUNT), param('privacyGroupId', keyText, PRIVACY_GROUP)],
  exactParams: true,
  result: result('nonce', uint),
  errors: [...PRIVATE_ERRORS, NONCE_ERROR],
  isServed: isPrivate,
  handler: async (backend: PrivacyBackend, [account, group], context) => {
    const { reads, tenants } = privacyOf(backend)
    const groupId = groupIdOf(group, NONCE_ERROR)
    if (!(await tenants.isMember(group, userOf(backend, context)))) {
      throw new NodeError({ code: NONCE_ERROR }, 'the user is not a member of the group')
    }
    return reads.nonce(groupId, account)
  },
})

export const getEeaTransactionCount: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_getEeaTransactionCount',
  group: 'EEA',
  summary: 'Nonce of an account in the group of a sender and its recipients.',
  params: [
    param('address', address, ACCOUNT),
    param('privateFrom', keyText, 'Enclave key of the sender, Base64. It must be the key of the user.'),
    param('privateFor', keyTexts, 'Enclave keys of the recipients, Base64, in any order.'),
  ],
  exactParams: true,
  result: result('nonce', uint),
  errors: [...PRIVATE_ERRORS, NONCE_ERROR, 'PRIVATE_FROM_DOES_NOT_MATCH_ENCLAVE_PUBLIC_KEY'],
  isServed: isPrivate,
  handler: async (backend: PrivacyBackend, [account, from, to], context) => {
    if (from !== userOf(backend, context)) {
      const message = 'privateFrom is not the key of the user in the enclave'
      throw new NodeError({ code: 'PRIVATE_FROM_DOES_NOT_MATCH_ENCLAVE_PUBLIC_KEY' }, message)
    }
    const keys = [from, ...to].map((key) => fromBase64(key))
    const presentKeys = keys.filter((key) => key !== undefined)
    if (presentKeys.length < keys.length) throw new NodeError({ code: NONCE_ERROR }, 'a key is not in Base64')
    return privacyOf(backend).reads.nonce(legacyGroupId(presentKeys), account)
  },
})
