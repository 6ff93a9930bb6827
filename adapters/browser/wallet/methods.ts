/**
 * The methods that a wallet answers, and how.
 * @module
 */
import { WalletError } from './walletError.ts'

type Params = readonly unknown[]

/** Where a method has the account that signs. */
type AccountPlace = { readonly at: 0 | 1; readonly member?: undefined } | { readonly at: 0; readonly member: 'from' }

const SIGNING: ReadonlyMap<string, AccountPlace> = new Map<string, AccountPlace>([
  ['eth_sendTransaction', { at: 0, member: 'from' }],
  ['eth_sendTransactionSync', { at: 0, member: 'from' }],
  ['eth_signTransaction', { at: 0, member: 'from' }],
  ['wallet_sendCalls', { at: 0, member: 'from' }],
  ['eth_sign', { at: 0 }],
  ['personal_sign', { at: 1 }],
  ['eth_signTypedData_v4', { at: 0 }],
])

const FURTHER_READS: ReadonlySet<string> = new Set([
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'personal_ecRecover',
  'wallet_getCallsStatus',
  'wallet_showCallsStatus',
])

/** A wallet hides methods that change the chain or its miner, as every wallet does. */
const READS = /^(?:eth_(?!send|sign|submit|getWork)|net_|web3_)/

/** Whether the node answers the method without a decision of the user. */
export function isRead(method: string): boolean {
  return READS.test(method) || FURTHER_READS.has(method)
}

export function isSigning(method: string): boolean {
  return SIGNING.has(method)
}

/**
 * The parameters with the account that signs, which is the given one where they name none.
 * @throws {WalletError} -32602
 */
export function withAccount(method: string, params: Params, chosen: string): { account: string; params: Params } {
  const { at, member } = SIGNING.get(method) ?? { at: 0 as const }
  const given = params[at]
  if (member === undefined) return { account: addressOf(method, given), params }
  if (!isObject(given)) throw new WalletError('invalidParams', `${method}: expected an object`)
  const account = given[member] === undefined ? chosen : addressOf(method, given[member])
  return { account, params: [{ ...given, [member]: account }, ...params.slice(1)] }
}

/** @returns the address in lower case @throws {WalletError} -32602 */
export function addressOf(method: string, value: unknown): string {
  if (typeof value === 'string' && /^0x[\da-f]{40}$/i.test(value)) return value.toLowerCase()
  throw new WalletError('invalidParams', `${method}: expected the address of an account`)
}

/** The chain id of wallet_switchEthereumChain and wallet_addEthereumChain. @throws {WalletError} -32602 */
export function chainIdOf(method: string, [chain]: Params): string {
  const chainId = isObject(chain) ? chain['chainId'] : undefined
  if (typeof chainId === 'string' && /^0x[\da-f]{1,64}$/i.test(chainId)) return hexOf(chainId)
  throw new WalletError('invalidParams', `${method}: expected an object with a chainId in hex`)
}

/** @throws {WalletError} -32602 unless exactly the accounts are asked for */
export function requireAccountsOnly(method: string, [permissions]: Params): void {
  if (isObject(permissions) && Object.keys(permissions).join() === 'eth_accounts') return
  throw new WalletError('invalidParams', `${method}: expected { eth_accounts: {} }`)
}

/** A chain id as JSON-RPC writes it. */
export function hexOf(chainId: number | bigint | string): string {
  return `0x${BigInt(chainId).toString(16)}`
}

/**
 * A call with own parameters: the page may change its objects while the wallet waits for the user.
 * @throws {WalletError} -32600, -32602
 */
export function ownCall(call: unknown): { method: string; params: Params } {
  const { method, params = [] } = isObject(call) ? call : {}
  if (typeof method !== 'string') throw new WalletError('invalidRequest', 'request needs { method, params }')
  try {
    const copied: unknown = JSON.parse(JSON.stringify(params))
    return { method, params: Array.isArray(copied) ? copied : [copied] }
  } catch (cause) {
    throw new WalletError('invalidParams', `${method}: the parameters cannot be written as JSON`, { cause })
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
