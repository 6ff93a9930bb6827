/**
 * API groups, as `--rpc-http-api` names them. `DEV` is ours: helpers of test suites, on the dev chain only.
 * @module
 */
export type ApiGroup =
  | 'ADMIN'
  | 'CLIQUE'
  | 'DEBUG'
  | 'DEV'
  | 'EEA'
  | 'ENGINE'
  | 'ETH'
  | 'IBFT'
  | 'MINER'
  | 'NET'
  | 'PERM'
  | 'PLUGINS'
  | 'PRIV'
  | 'QBFT'
  | 'TRACE'
  | 'TXPOOL'
  | 'WEB3'

export const API_GROUPS: readonly ApiGroup[] = [
  'ADMIN',
  'CLIQUE',
  'DEBUG',
  'DEV',
  'EEA',
  'ENGINE',
  'ETH',
  'IBFT',
  'MINER',
  'NET',
  'PERM',
  'PLUGINS',
  'PRIV',
  'QBFT',
  'TRACE',
  'TXPOOL',
  'WEB3',
]

/** Every group, on the command line. */
export const ALL_API_GROUPS = 'ALL'

/** @param names of groups that exist, or ALL */
export function apiGroups(names: readonly string[]): readonly ApiGroup[] {
  return names.includes(ALL_API_GROUPS) ? API_GROUPS : (names as readonly ApiGroup[])
}
