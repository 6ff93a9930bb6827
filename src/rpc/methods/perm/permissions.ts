/**
 * Allowlists in files.
 * @see docs/reference/permissioning.md section 5
 * @module
 */

import { unexpectedValue } from '../../../api/errors.ts'
import type { NodeInfo } from '../../../api/nodeInfo.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import type { AllowlistControl, PermissionControl } from '../../../permissioning/contract.ts'
import { string } from '../../codecs/scalars.ts'
import { ADDRESS } from '../../codecs/schemas.ts'
import { arrayOf, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type JsonSchema, type MethodDefinition, param, result } from '../../method.ts'

interface Backend {
  /** undefined: permissioning is off */
  readonly permissions?: PermissionControl | undefined
}

const SUCCESS = 'Success'
const ENODE: JsonSchema = { title: 'Enode', type: 'string' }
const PERSISTENCE = ['ALLOWLIST_PERSIST_FAILURE', 'ALLOWLIST_FILE_SYNC']

/** The list itself checks its entries, since each kind of fault has its own error. */
function entriesOf(items: JsonSchema): Codec<readonly unknown[]> {
  return parameterCodec({ type: 'array', items }, (value) => {
    if (!Array.isArray(value)) throw unexpectedValue('an array', described(value))
    return value
  })
}

const ACCOUNTS = param(
  'accounts',
  entriesOf(ADDRESS),
  'Addresses, `0x` and 40 hex digits each: one list, not empty and without duplicates.',
)
const ENODES = param('enodes', entriesOf(ENODE), 'Enode URLs: one list, not empty and without duplicates.')

function accountsOf({ permissions }: Backend): AllowlistControl {
  if (permissions?.accounts !== undefined) return permissions.accounts
  throw new NodeError({ code: 'ACCOUNT_ALLOWLIST_NOT_ENABLED' }, 'there is no allowlist of accounts in a file')
}

function nodesOf({ permissions }: Backend): AllowlistControl {
  if (permissions?.nodes !== undefined) return permissions.nodes
  throw new NodeError({ code: 'NODE_ALLOWLIST_NOT_ENABLED' }, 'there is no allowlist of nodes in a file')
}

const ACCOUNT_ERRORS = [
  'ACCOUNT_ALLOWLIST_NOT_ENABLED',
  'ACCOUNT_ALLOWLIST_EMPTY_ENTRY',
  'MALFORMED_ACCOUNT',
  'ACCOUNT_ALLOWLIST_INVALID_ENTRY',
  'ACCOUNT_ALLOWLIST_DUPLICATED_ENTRY',
]

const NODE_ERRORS = [
  'NODE_ALLOWLIST_NOT_ENABLED',
  'NODE_ALLOWLIST_EMPTY_ENTRY',
  'NODE_ALLOWLIST_DUPLICATED_ENTRY',
  'NODE_ALLOWLIST_INVALID_ENTRY',
]

export const addAccountsToAllowlist: MethodDefinition<Backend> = defineMethod({
  name: 'perm_addAccountsToAllowlist',
  aliases: ['perm_addAccountsToWhitelist'],
  group: 'PERM',
  summary: 'Adds accounts to the allowlist and to its file: all of them or none.',
  params: [ACCOUNTS],
  result: result('status', string),
  errors: [...ACCOUNT_ERRORS, 'ACCOUNT_ALLOWLIST_EXISTING_ENTRY', ...PERSISTENCE],
  handler: (backend: Backend, [accounts]) => {
    accountsOf(backend).add(accounts)
    return SUCCESS
  },
})

export const removeAccountsFromAllowlist: MethodDefinition<Backend> = defineMethod({
  name: 'perm_removeAccountsFromAllowlist',
  aliases: ['perm_removeAccountsFromWhitelist'],
  group: 'PERM',
  summary: 'Removes accounts from the allowlist and from its file: all of them or none.',
  params: [ACCOUNTS],
  result: result('status', string),
  errors: [...ACCOUNT_ERRORS, 'ACCOUNT_ALLOWLIST_ABSENT_ENTRY', ...PERSISTENCE],
  handler: (backend: Backend, [accounts]) => {
    accountsOf(backend).remove(accounts)
    return SUCCESS
  },
})

export const getAccountsAllowlist: MethodDefinition<Backend> = defineMethod({
  name: 'perm_getAccountsAllowlist',
  aliases: ['perm_getAccountsWhitelist'],
  group: 'PERM',
  summary: 'The accounts of the allowlist, in order of insertion.',
  params: [],
  result: result('accounts', arrayOf(string)),
  errors: ['ACCOUNT_ALLOWLIST_NOT_ENABLED'],
  handler: (backend: Backend) => accountsOf(backend).entries,
})

export const addNodesToAllowlist: MethodDefinition<Backend> = defineMethod({
  name: 'perm_addNodesToAllowlist',
  aliases: ['perm_addNodesToWhitelist'],
  group: 'PERM',
  summary: 'Adds nodes to the allowlist and to its file: all of them or none.',
  params: [ENODES],
  result: result('status', string),
  errors: [...NODE_ERRORS, 'NODE_ALLOWLIST_EXISTING_ENTRY', ...PERSISTENCE],
  handler: (backend: Backend, [nodes]) => {
    nodesOf(backend).add(nodes)
    return SUCCESS
  },
})

export const removeNodesFromAllowlist: MethodDefinition<Backend> = defineMethod({
  name: 'perm_removeNodesFromAllowlist',
  aliases: ['perm_removeNodesFromWhitelist'],
  group: 'PERM',
  summary: 'Removes nodes from the allowlist and from its file, all of them or none, and disconnects them.',
  params: [ENODES],
  result: result('status', string),
  errors: [
    ...NODE_ERRORS,
    'NODE_ALLOWLIST_FIXED_NODE_CANNOT_BE_REMOVED',
    'NODE_ALLOWLIST_MISSING_ENTRY',
    ...PERSISTENCE,
  ],
  handler: (backend: Backend, [nodes]) => {
    nodesOf(backend).remove(nodes)
    return SUCCESS
  },
})

export const getNodesAllowlist: MethodDefinition<Backend & { readonly node: NodeInfo }> = defineMethod({
  name: 'perm_getNodesAllowlist',
  aliases: ['perm_getNodesWhitelist'],
  group: 'PERM',
  summary: 'The nodes of the allowlist, in order of insertion.',
  params: [],
  result: result('enodes', arrayOf(string)),
  errors: ['NODE_ALLOWLIST_NOT_ENABLED', 'P2P_DISABLED'],
  handler: (backend: Backend & { readonly node: NodeInfo }) => {
    const { entries } = nodesOf(backend)
    if (!backend.node.network.enabled) {
      throw new NodeError({ code: 'P2P_DISABLED' }, 'peer-to-peer networking is disabled')
    }
    return entries
  },
})

export const reloadPermissionsFromFile: MethodDefinition<Backend> = defineMethod({
  name: 'perm_reloadPermissionsFromFile',
  group: 'PERM',
  summary: 'Reads the allowlists from their files again. If one of them cannot be read, both remain.',
  params: [],
  result: result('status', string),
  errors: ['PERMISSIONING_NOT_ENABLED', 'ALLOWLIST_RELOAD_ERROR'],
  handler: ({ permissions }: Backend) => {
    if (permissions?.accounts === undefined && permissions?.nodes === undefined) {
      throw new NodeError({ code: 'PERMISSIONING_NOT_ENABLED' }, 'there is no allowlist in a file')
    }
    permissions.reload()
    return SUCCESS
  },
})
