/** Examples of `admin_*`, `miner_*`, `net_*`, `plugins_*`, `rpc*`, `txpool_*` and `web3_*`. */
import { type Examples, given, NONE, POOLED } from './example.ts'

const PEER =
  'enode://9a4fcc1ef1f6fd3b7c14cf0ad1cd10b4a1d92d1a3d20e5e1b15ad4a5a2dc9a0bd77ffdc6c55b2c3ec4dd8dfd6ab5a7e2cbe5cf4f0b9c3c20e6f5aa7f0a4f9b01@192.0.2.1:30303'

export const nodes: Examples = {
  admin_addPeer: given([PEER]),
  admin_changeLogLevel: given(['DEBUG', ['rpc']]),
  admin_generateLogBloomCache: given(['0x0', 'latest']),
  admin_logsRemoveCache: NONE,
  admin_logsRepairCache: NONE,
  admin_nodeInfo: NONE,
  admin_peers: NONE,
  admin_removePeer: given([PEER]),
  miner_changeTargetGasLimit: given([30_000_000]),
  miner_setCoinbase: given(({ bob }) => [bob]),
  miner_start: NONE,
  miner_stop: NONE,
  net_enode: NONE,
  net_listening: NONE,
  net_peerCount: NONE,
  net_services: NONE,
  net_version: NONE,
  plugins_reloadPluginConfig: given(['heads']),
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
