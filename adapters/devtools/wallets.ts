/**
 * Wallets of the browser whose chain a fork may continue. Nothing but reads is asked of them.
 * @see EIP-6963
 * @module
 */
import { plainText } from '../../src/abi/plainText.ts'
import type { Provider } from '../page/rpc/eip1193.ts'

export interface FoundWallet {
  /** Reverse domain name, `io.example`; `injected` for the one of `window.ethereum`. */
  readonly id: string
  /** The wallet chose it; it proves nothing. */
  readonly name: string
  readonly provider: Provider
}

const MAX_WALLETS = 10
const MAX_TEXT = 60
/** Wallets announce themselves at once, unless their extension still starts. */
const WAIT_MS = 1000

const INJECTED = 'injected'

/** @param changed hears of all wallets that are known, after each new one */
export function watchWallets(changed: (wallets: readonly FoundWallet[]) => void): void {
  const found = new Map<string, FoundWallet>()
  const add = (wallet: FoundWallet | undefined): void => {
    if (wallet === undefined || found.has(wallet.id) || found.size >= MAX_WALLETS) return
    found.set(wallet.id, wallet)
    changed([...found.values()])
  }
  addEventListener('eip6963:announceProvider', (event) => add(announced((event as CustomEvent<unknown>).detail)))
  dispatchEvent(new Event('eip6963:requestProvider'))
  const { ethereum } = globalThis as { readonly ethereum?: Provider }
  if (found.size === 0 && typeof ethereum?.request === 'function') {
    add({ id: INJECTED, name: 'Wallet of this browser', provider: ethereum })
  }
}

/** @throws {Error} when the browser has no such wallet */
export function findWallet(id: string): Promise<FoundWallet> {
  return new Promise((resolve, reject) => {
    const missing = (): void => reject(new Error(`This browser has no wallet “${id.slice(0, MAX_TEXT)}”.`))
    const timer = setTimeout(missing, WAIT_MS)
    watchWallets((wallets) => {
      const wallet = wallets.find((each) => each.id === id)
      if (wallet === undefined) return
      clearTimeout(timer)
      resolve(wallet)
    })
  })
}

function announced(detail: unknown): FoundWallet | undefined {
  const { info, provider } = (detail ?? {}) as {
    readonly info?: { readonly rdns?: unknown; readonly name?: unknown }
    readonly provider?: Provider
  }
  const { rdns, name } = info ?? {}
  if (typeof rdns !== 'string' || typeof name !== 'string' || typeof provider?.request !== 'function') return undefined
  return { id: rdns.slice(0, MAX_TEXT), name: plainText(name, MAX_TEXT), provider }
}
