/** Examples of `perm_*`, on a node with one account and one node in its lists. */
import { LISTED_NODE } from '../reference/permissionedExample.ts'
import { type Example, type Examples, given } from './example.ts'

const ACCOUNT = '0x00000000000000000000000000000000000000c0'
const NODE = `enode://${'2b'.repeat(64)}@192.0.2.2:30303`
const ON_LISTS: Example = { on: 'permissioned', note: 'With one account and one node in the lists.' }

export const perm: Examples = {
  perm_addAccountsToAllowlist: { ...ON_LISTS, ...given([[ACCOUNT]]) },
  perm_addNodesToAllowlist: { ...ON_LISTS, ...given([[NODE]]) },
  perm_getAccountsAllowlist: ON_LISTS,
  perm_getNodesAllowlist: ON_LISTS,
  perm_reloadPermissionsFromFile: ON_LISTS,
  perm_removeAccountsFromAllowlist: { ...ON_LISTS, ...given(({ bob }) => [[bob]]) },
  perm_removeNodesFromAllowlist: { ...ON_LISTS, ...given([[LISTED_NODE]]) },
}
