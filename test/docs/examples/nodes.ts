/** Examples of `miner_*`, `net_*`, `rpc*`, `txpool_*` and `web3_*`. */
import { type Examples, given, NONE, POOLED } from './example.ts'

export const nodes: Examples = {
  miner_changeTargetGasLimit: given([30_000_000]),
  miner_setCoinbase: given(({ bob }) => [bob]),
  miner_start: NONE,
  miner_stop: NONE,
  net_enode: NONE,
  net_listening: NONE,
  net_peerCount: NONE,
  net_services: NONE,
  net_version: NONE,
  'rpc.discover': NONE,
  rpc_modules: NONE,
  txpool_content: POOLED,
  txpool_contentFrom: { ...POOLED, ...given(({ alice }) => [alice]) },
  txpool_inspect: POOLED,
  txpool_nodePendingTransactions: { ...POOLED, ...given([10]) },
  txpool_nodeStatistics: POOLED,
  txpool_nodeTransactions: POOLED,
  txpool_status: POOLED,
  web3_clientVersion: NONE,
  web3_sha3: given(['0x68656c6c6f']),
}
