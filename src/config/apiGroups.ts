/**
 * API groups, as `--rpc-http-api` names them. `DEV`, `ISONODE` and `OTS` are not Besu's: helpers of test suites, on the
 * dev chain only; what contracts mean; and the methods of Otterscan.
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
  | 'ISONODE'
  | 'MINER'
  | 'NET'
  | 'OTS'
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
  'ISONODE',
  'MINER',
  'NET',
  'OTS',
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
