/**
 * A wallet that pages find. @see EIP-6963
 * @module
 */
import { webRandom } from '../../shared/webPorts.ts'
import type { Wallet, WalletInfo, WalletNode, WalletOptions } from './contract.ts'
import { TestWallet } from './testWallet.ts'

const ANNOUNCE = 'eip6963:announceProvider'
const REQUEST = 'eip6963:requestProvider'
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%23345'/%3E%3Cpath d='M16 5l8 11-8 11-8-11z' fill='%23fff'/%3E%3C/svg%3E"

/**
 * Announces a wallet over a node to the scripts of this window, and to no other window. Its accounts are those of the node.
 * @throws {TypeError} that names the wrong option, or without a window
 * @throws whatever the node answers to `eth_chainId`
 * @example
 * const node = await createBrowserNode({ storage: 'memory' })
 * const wallet = await announce(node, { window: new EventTarget(), approve: ({ method }) => method !== 'personal_sign' })
 * await wallet.switchAccount(node.accounts[1].address)
 * wallet.close()
 * await node.close()
 */
export async function announce(node: WalletNode, options: WalletOptions = {}): Promise<Wallet> {
  const { chains = [], addable = [], approve = await answerByDefault(node) } = options
  const target = targetOf(options)
  const info = infoOf(options)
  const wallet = new TestWallet(node, { chains, addable, approve })
  const { provider } = wallet
  const detail = Object.freeze({ info, provider })
  const show = (): void => void target.dispatchEvent(new CustomEvent(ANNOUNCE, { detail }))
  target.addEventListener(REQUEST, show)
  show()
  return {
    info,
    provider,
    switchAccount: (address) => wallet.switchAccount(address),
    switchChain: (chainId) => wallet.switchChain(chainId),
    disconnect: () => wallet.disconnect(),
    close: () => {
      target.removeEventListener(REQUEST, show)
      wallet.close()
    },
  }
}

/** Only a dev chain has methods of the group DEV. */
async function answerByDefault(node: WalletNode): Promise<() => boolean> {
  const groups = await node.request({ method: 'rpc_modules' }).catch(() => ({}))
  const isDev = typeof groups === 'object' && groups !== null && 'dev' in groups
  return () => isDev
}

function targetOf({ window = globalThis as unknown as EventTarget }: WalletOptions): EventTarget {
  if (typeof window?.dispatchEvent === 'function') return window
  throw new TypeError("announce needs a window: pass 'window' where there is none")
}

function infoOf({ name = 'isonode', icon = ICON, rdns = 'io.github.isonode' }: WalletOptions): WalletInfo {
  if (typeof name !== 'string' || name === '') throw new TypeError("option 'name': expected a text")
  if (typeof icon !== 'string' || !icon.startsWith('data:image/')) {
    throw new TypeError("option 'icon': expected a data URI of an image")
  }
  if (typeof rdns !== 'string' || !/^[\w-]+(?:\.[\w-]+)+$/.test(rdns)) {
    throw new TypeError("option 'rdns': expected a reverse domain name such as 'com.example.wallet'")
  }
  return Object.freeze({ uuid: newUuid(), name, icon, rdns })
}

/** `crypto.randomUUID` is missing in pages that are not served over HTTPS. */
function newUuid(): string {
  const bytes = webRandom.bytes(16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
