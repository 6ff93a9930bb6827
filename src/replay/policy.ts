/**
 * Treatment of the calls of each method in a replay, and the parts of their answers that are compared.
 * @module
 */

/**
 * - `compare`: asked again; the answers must agree
 * - `send`: changes the chain; its result, a hash, stands for the recorded one afterwards
 * - `name`: gives something a name that later calls use, such as a filter
 * - `run`: asked again, because it changes the chain; its result says nothing
 * - `skip`: asks a wallet, or its answer depends on the time
 */
export type Treatment = 'compare' | 'send' | 'name' | 'run' | 'skip'

const TREATMENTS: readonly (readonly [methods: RegExp, treatment: Treatment])[] = [
  [/^eth_send(?:Raw)?Transaction(?:Sync)?$/, 'send'],
  [/^(?:eth_new\w*Filter|evm_snapshot)$/, 'name'],
  [/^(?:evm|hardhat|anvil)_(?:set|mine|increase|revert|impersonate|stopImpersonating|drop|reset|deal)/i, 'run'],
  [/^(?:wallet|personal|net|txpool|admin|miner|clique|ibft|qbft|web3|rpc|evm|hardhat|anvil)_/, 'skip'],
  [/^eth_(?:accounts|requestAccounts|coinbase|mining|hashrate|syncing|protocolVersion)$/, 'skip'],
  [/^eth_(?:blockNumber|gasPrice|maxPriorityFeePerGas|blobBaseFee|baseFee|feeHistory|getWork)$/, 'skip'],
  [/^eth_(?:sign|send|submit|decrypt|getEncryptionPublicKey|getFilterChanges|uninstallFilter|fillTransaction)/, 'skip'],
  [/_(?:un)?subscribe$/i, 'skip'],
]

export function treatmentOf(method: string): Treatment {
  return TREATMENTS.find(([methods]) => methods.test(method))?.[1] ?? 'compare'
}

/** Members whose values a chain determines that executes the same. Hashes, times and fees differ on every fork. */
const RECEIPT = ['status', 'gasUsed', 'contractAddress', 'from', 'to', 'logs'] as const
const TRANSACTION = ['from', 'to', 'value', 'input', 'nonce'] as const
const BLOCK = ['number', 'gasUsed', 'gasLimit'] as const
const LOG = ['address', 'topics', 'data'] as const

/** Answers of these methods are objects of the chain, or `null` while the object is not there. */
const OBJECTS: readonly (readonly [methods: RegExp, members: readonly string[]])[] = [
  [/^eth_(?:getTransactionReceipt|getBlockReceipts|sendRawTransactionSync)$/, RECEIPT],
  [/^eth_getTransactionBy/, TRANSACTION],
  [/^eth_(?:getBlockBy|getHeaderBy|getUncleBy)/, BLOCK],
  [/^eth_get(?:Filter)?Logs$/, LOG],
]

/** The part of an answer that is compared. */
export function comparable(method: string, value: unknown): unknown {
  const members = OBJECTS.find(([methods]) => methods.test(method))?.[1]
  if (members === undefined) return value
  return Array.isArray(value) ? value.map((item) => picked(item, members)) : picked(value, members)
}

function picked(value: unknown, members: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const object = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    members.map((name) => {
      const member = object[name] ?? null
      return [name, name === 'logs' && Array.isArray(member) ? member.map((log) => picked(log, LOG)) : member]
    }),
  )
}

/** Whether `null` says that the object was not there yet when the page asked. */
export function mayWait(method: string): boolean {
  return /^eth_getTransaction(?:Receipt|ByHash)$/.test(method)
}
