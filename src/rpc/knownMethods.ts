/**
 * Names of all methods known to this node, implemented or not: a known name that an endpoint does not serve is answered
 * "not enabled" instead of "not found".
 * @module
 */

import type { ApiGroup } from './method.ts'

/** Names by group, without the prefix of the group. Methods of `DEV` have the names of other clients. */
const NAMES: Readonly<Record<Exclude<ApiGroup, 'DEV'>, string>> = {
  ADMIN: 'addPeer changeLogLevel generateLogBloomCache logsRemoveCache logsRepairCache nodeInfo peers removePeer',
  CLIQUE: 'discard getSignerMetrics getSigners getSignersAtHash proposals propose',
  DEBUG:
    'accountAt batchSendRawTransaction getBadBlocks getRawBlock getRawHeader metrics replayBlock resyncWorldstate ' +
    'resyncWorldState setHead standardTraceBadBlockToFile standardTraceBlockToFile storageRangeAt traceBlock ' +
    'traceBlockByHash traceBlockByNumber traceTransaction',
  EEA: 'sendRawTransaction',
  ENGINE:
    'exchangeCapabilities exchangeTransitionConfigurationV1 forkchoiceUpdatedV1 forkchoiceUpdatedV2 ' +
    'getPayloadBodiesByHashV1 getPayloadBodiesByRangeV1 getPayloadV1 getPayloadV2 newPayloadV1 newPayloadV2',
  ETH:
    'accounts blockNumber call chainId coinbase createAccessList estimateGas feeHistory gasPrice getBalance ' +
    'getBlockByHash getBlockByNumber getBlockTransactionCountByHash getBlockTransactionCountByNumber getCode ' +
    'getFilterChanges getFilterLogs getLogs getMinerDataByBlockHash getMinerDataByBlockNumber getProof getStorageAt ' +
    'getTransactionByBlockHashAndIndex getTransactionByBlockNumberAndIndex getTransactionByHash getTransactionCount ' +
    'getTransactionReceipt getUncleByBlockHashAndIndex getUncleByBlockNumberAndIndex getUncleCountByBlockHash ' +
    'getUncleCountByBlockNumber getWork hashrate mining newBlockFilter newFilter newPendingTransactionFilter ' +
    'protocolVersion sendRawTransaction sendTransaction submitHashrate submitWork subscribe syncing uninstallFilter ' +
    'unsubscribe',
  IBFT:
    'discardValidatorVote getPendingVotes getSignerMetrics getValidatorsByBlockHash getValidatorsByBlockNumber ' +
    'proposeValidatorVote',
  MINER: 'changeTargetGasLimit setCoinbase setEtherbase start stop',
  NET: 'enode listening peerCount services version',
  PERM:
    'addAccountsToAllowlist addNodesToAllowlist getAccountsAllowlist getNodesAllowlist reloadPermissionsFromFile ' +
    'removeAccountsFromAllowlist removeNodesFromAllowlist',
  PLUGINS: 'reloadPluginConfig',
  PRIV:
    'call createPrivacyGroup debugGetStateRoot deletePrivacyGroup distributeRawTransaction findPrivacyGroup getCode ' +
    'getEeaTransactionCount getFilterChanges getFilterLogs getLogs getPrivacyPrecompileAddress getPrivateTransaction ' +
    'getTransactionCount getTransactionReceipt newFilter subscribe uninstallFilter unsubscribe',
  QBFT:
    'discardValidatorVote getPendingVotes getSignerMetrics getValidatorsByBlockHash getValidatorsByBlockNumber ' +
    'proposeValidatorVote',
  TRACE: 'block call callMany filter get rawTransaction replayBlockTransactions transaction',
  TXPOOL:
    'nodePendingTransactions nodeStatistics nodeTransactions besuPendingTransactions besuStatistics besuTransactions',
  WEB3: 'clientVersion sha3',
}

/** Method name → the group that serves it. */
export const KNOWN_METHODS: ReadonlyMap<string, ApiGroup> = new Map(
  Object.entries(NAMES).flatMap(([group, names]) =>
    names.split(' ').map((name): [string, ApiGroup] => [`${group.toLowerCase()}_${name}`, group as ApiGroup]),
  ),
)

/** Methods that further groups serve in addition to their own. */
export const FURTHER_GROUPS: ReadonlyMap<string, readonly ApiGroup[]> = new Map([
  ['plugins_reloadPluginConfig', ['ADMIN']],
])

/** Answered "not found" instead of "not enabled" when their group is off: clients of private networks expect it. */
export const UNLISTED_METHODS: ReadonlySet<string> = new Set(['debug_accountRange'])

/** Known but never served; each has its own error (code of rpc/errorTable.ts). */
export const UNSUPPORTED_METHODS: ReadonlyMap<string, string> = new Map([
  ['eth_sendTransaction', 'SEND_TRANSACTION_NOT_AVAILABLE'],
])
