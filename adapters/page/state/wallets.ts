/**
 * Accounts that can sign: those of the dev chain, and wallets of the browser.
 * @see EIP-6963
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { plainText } from '../../../src/abi/plainText.ts'
import { toQuantity } from '../format/hex.ts'
import type { Provider } from '../rpc/eip1193.ts'
import { isRefusal, RpcError } from '../rpc/errors.ts'
import { chainId, request } from './node.ts'

export interface Wallet {
  readonly id: string
  /** The wallet chose it; it proves nothing. */
  readonly name: string
  readonly provider: Provider
}

export const wallets: Signal<readonly Wallet[]> = signal([])

const MAX_WALLETS = 10
const MAX_NAME = 40
let isListening = false

/** Asks wallets to announce themselves. */
export function findWallets(): void {
  if (!isListening)
    addEventListener('eip6963:announceProvider', (event) => announced((event as CustomEvent<unknown>).detail))
  isListening = true
  dispatchEvent(new Event('eip6963:requestProvider'))
}

function announced(detail: unknown): void {
  const { info, provider } = (detail ?? {}) as {
    readonly info?: { readonly uuid?: unknown; readonly name?: unknown }
    readonly provider?: Provider
  }
  if (typeof info?.uuid !== 'string' || typeof info.name !== 'string' || typeof provider?.request !== 'function') return
  const wallet = { id: info.uuid, name: plainText(info.name, MAX_NAME), provider }
  const others = wallets.value.filter(({ id }) => id !== wallet.id)
  wallets.value = [...others, wallet].slice(0, MAX_WALLETS)
}

/** `null`: the node signs. */
export interface Sender {
  readonly address: string
  readonly wallet: Wallet | null
}

/** Accounts that the node signs for; empty where it signs for none. */
export async function nodeAccounts(): Promise<readonly Sender[]> {
  try {
    const accounts = await request<readonly string[]>('eth_accounts')
    return accounts.map((address) => ({ address, wallet: null }))
  } catch (error) {
    if (isRefusal(error)) return []
    throw error
  }
}

/** @throws {Error} when the reader refuses */
export async function connect(wallet: Wallet): Promise<readonly Sender[]> {
  const accounts = (await wallet.provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
  return accounts.map((address) => ({ address, wallet }))
}

/**
 * @param transaction in the form of `eth_sendTransaction`, without `from`
 * @returns the hash
 * @throws {Error} when the wallet shows another chain
 */
export async function sendFrom(sender: Sender, transaction: Readonly<Record<string, string>>): Promise<string> {
  const full = { ...transaction, from: sender.address }
  if (sender.wallet === null) return request('eth_sendTransaction', [full])
  const { provider } = sender.wallet
  await selectChain(provider)
  return (await provider.request({ method: 'eth_sendTransaction', params: [full] })) as string
}

/** A transaction for this chain must not reach another one. */
async function selectChain(provider: Provider): Promise<void> {
  if (chainId.value === undefined) throw new RpcError('eth_chainId', 0, 'The chain of the node is not known yet.')
  const wanted = toQuantity(chainId.value)
  const isWanted = async (): Promise<boolean> =>
    BigInt((await provider.request({ method: 'eth_chainId' })) as string) === chainId.value
  if (await isWanted()) return
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] })
  if (!(await isWanted()))
    throw new RpcError('wallet_switchEthereumChain', 0, `The wallet is on another chain than ${chainId.value}.`)
}
