import { NodeError } from '../../../base/primitives/errors.ts'
import { FLEXIBLE_PRECOMPILE, PRIVACY_PRECOMPILE } from '../../../private/privacy/groups.ts'
import { anyKeys, keyText, keyTexts, newGroup, privacyGroup } from '../../codecs/privacy.ts'
import { address } from '../../codecs/scalars.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ENCLAVE_ERRORS, enclaveErrorAs, throwOfEnclave } from '../support/enclaveErrors.ts'
import { PRIVACY_GROUP } from '../support/parameterTexts.ts'
import {
  hasEnclaveGroups,
  hasFlexibleGroups,
  isPrivate,
  PRIVATE_ERRORS,
  type PrivacyBackend,
  privacyOf,
  userOf,
} from './backend.ts'

export const createPrivacyGroup: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_createPrivacyGroup',
  group: 'PRIV',
  summary: 'Creates a privacy group in the enclave.',
  params: [
    param(
      'group',
      newGroup,
      '`addresses`: enclave keys of the members, Base64; `name` and `description` are optional.',
    ),
  ],
  result: result('privacyGroupId', keyText),
  errors: [...PRIVATE_ERRORS, ...ENCLAVE_ERRORS, 'CREATE_PRIVACY_GROUP_ERROR', 'METHOD_NOT_ENABLED'],
  isServed: hasEnclaveGroups,
  handler: (backend: PrivacyBackend, [{ addresses, name, description }], context) => {
    const { enclave, tenants } = privacyOf(backend)
    const user = userOf(backend, context)
    if (tenants.areSeparate && !addresses.includes(user)) {
      throw new NodeError({ code: 'ENCLAVE_ERROR' }, 'the user is not a member of the new group')
    }
    return enclave
      .createGroup(addresses, user, name, description)
      .then(({ privacyGroupId }) => privacyGroupId)
      .catch(throwOfEnclave)
  },
})

export const deletePrivacyGroup: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_deletePrivacyGroup',
  group: 'PRIV',
  summary: 'Deletes a privacy group in the enclave. Private states remain.',
  params: [param('privacyGroupId', keyText, PRIVACY_GROUP)],
  result: result('privacyGroupId', keyText),
  errors: [...PRIVATE_ERRORS, 'DELETE_PRIVACY_GROUP_ERROR', 'METHOD_NOT_ENABLED'],
  isServed: hasEnclaveGroups,
  handler: async (backend: PrivacyBackend, [id], context) => {
    const { enclave, tenants } = privacyOf(backend)
    const user = userOf(backend, context)
    if (!(await tenants.isMember(id, user))) {
      throw new NodeError({ code: 'DELETE_PRIVACY_GROUP_ERROR' }, 'the user is not a member of the group')
    }
    return enclave.deleteGroup(id, user).catch(enclaveErrorAs('DELETE_PRIVACY_GROUP_ERROR'))
  },
})

export const findPrivacyGroup: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_findPrivacyGroup',
  group: 'PRIV',
  summary: 'Privacy groups of the enclave that have exactly these members.',
  params: [param('members', anyKeys, 'Enclave keys of all members, Base64, in any order.')],
  result: result('groups', arrayOf(privacyGroup)),
  errors: [...PRIVATE_ERRORS, 'FIND_PRIVACY_GROUP_ERROR', 'METHOD_NOT_ENABLED'],
  isServed: hasEnclaveGroups,
  handler: async (backend: PrivacyBackend, [members], context) => {
    const { enclave, tenants } = privacyOf(backend)
    const user = userOf(backend, context)
    if (tenants.areSeparate && !members.includes(user)) {
      throw new NodeError({ code: 'FIND_PRIVACY_GROUP_ERROR' }, 'the key of the user is not in the list')
    }
    const groups = await enclave.findGroups(members).catch(enclaveErrorAs('FIND_PRIVACY_GROUP_ERROR'))
    return tenants.areSeparate ? groups.filter((group) => group.members.includes(user)) : groups
  },
})

export const findFlexiblePrivacyGroup: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'privx_findFlexiblePrivacyGroup',
  aliases: ['privx_findOnchainPrivacyGroup'],
  group: 'PRIV',
  summary: 'Flexible privacy groups of which all these keys are members.',
  params: [param('members', keyTexts, 'Enclave keys, Base64, in any order; an empty list finds all groups.')],
  result: result('groups', arrayOf(privacyGroup)),
  errors: [...PRIVATE_ERRORS, 'FIND_FLEXIBLE_PRIVACY_GROUP_ERROR', 'METHOD_NOT_ENABLED'],
  isServed: hasFlexibleGroups,
  handler: async (backend: PrivacyBackend, [members], context) => {
    const { reads, tenants } = privacyOf(backend)
    const user = userOf(backend, context)
    if (tenants.areSeparate && !members.includes(user)) {
      throw new NodeError({ code: 'FIND_FLEXIBLE_PRIVACY_GROUP_ERROR' }, 'the key of the user is not in the list')
    }
    return reads.flexibleGroups(members)
  },
})

export const getPrivacyPrecompileAddress: MethodDefinition<PrivacyBackend> = defineMethod({
  name: 'priv_getPrivacyPrecompileAddress',
  group: 'PRIV',
  summary: 'Address to which privacy marker transactions are sent.',
  params: [],
  result: result('address', address),
  errors: PRIVATE_ERRORS,
  isServed: isPrivate,
  handler: (backend: PrivacyBackend) => (privacyOf(backend).isFlexible ? FLEXIBLE_PRECOMPILE : PRIVACY_PRECOMPILE),
})
