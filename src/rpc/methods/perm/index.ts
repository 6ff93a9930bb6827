import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import {
  addAccountsToAllowlist,
  addNodesToAllowlist,
  getAccountsAllowlist,
  getNodesAllowlist,
  reloadPermissionsFromFile,
  removeAccountsFromAllowlist,
  removeNodesFromAllowlist,
} from './permissions.ts'

export const permMethods: readonly MethodDefinition<RpcBackend>[] = [
  addAccountsToAllowlist,
  removeAccountsFromAllowlist,
  getAccountsAllowlist,
  addNodesToAllowlist,
  removeNodesFromAllowlist,
  getNodesAllowlist,
  reloadPermissionsFromFile,
]
