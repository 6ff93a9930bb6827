/**
 * The effect of a method on the chain, by its name: whether it may be asked again when its answer is lost, and how its commits
 * are recognized.
 * @module
 */

export type MethodKind =
  /** Changes nothing that another question sees: asked again. */
  | 'read'
  /** A signed transaction: asked again, and known the second time. */
  | 'raw'
  /** Makes a transaction and answers its hash. */
  | 'send'
  /** As `send`, but answers the receipt. */
  | 'sendAndWait'
  /** Adds or removes blocks. */
  | 'blocks'
  /** Anything else that may change the chain or the node. */
  | 'change'

const KINDS: Readonly<Record<string, MethodKind>> = {
  eth_sendRawTransaction: 'raw',
  eth_sendTransaction: 'send',
  eth_sendUnsignedTransaction: 'send',
  personal_sendTransaction: 'send',
  eth_sendTransactionSync: 'sendAndWait',
  eth_sendRawTransactionSync: 'sendAndWait',
  eth_submitWork: 'blocks',
  debug_setHead: 'blocks',
  debug_batchSendRawTransaction: 'change',
  wallet_sendCalls: 'change',
  isonode_import: 'blocks',
}

const READS = /_(?:get|dump|nodeInfo|metadata|peers|proposals|sign$|listAccounts|ecRecover)/
const BLOCKS = /^(?:evm|anvil|hardhat|ganache)_.*(?:mine|reorg|revert|rollback|reset|load)/i
const CHANGES = /^(?:evm|anvil|hardhat|ganache|personal|miner|admin|clique|ibft|qbft|perm)_/

/** A method that changes the chain under a name of another form would be done again, so a test compares all names. */
export function kindOf(method: string): MethodKind {
  if (Object.hasOwn(KINDS, method)) return KINDS[method] ?? 'read'
  if (READS.test(method)) return 'read'
  if (BLOCKS.test(method)) return 'blocks'
  return CHANGES.test(method) ? 'change' : 'read'
}

/** Whether a question may be asked again without doing anything twice. */
export function isRepeatable(kind: MethodKind): boolean {
  return kind === 'read' || kind === 'raw'
}

/** Whether a body of JSON-RPC may be sent again without doing anything twice. */
export function isRepeatableBody(body: ArrayBuffer | undefined): boolean {
  if (body === undefined) return true
  try {
    const calls = [JSON.parse(new TextDecoder().decode(body))].flat() as readonly { readonly method?: unknown }[]
    return calls.every((call) => typeof call?.method !== 'string' || isRepeatable(kindOf(call.method)))
  } catch {
    return true
  }
}
