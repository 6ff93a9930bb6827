/**
 * The wallet of a page whose chain is a fork: the user's accounts, without any key.
 * @module
 */
import { ProviderError } from '../link/requests.ts'

export type Request = (method: string, params: unknown) => Promise<unknown>

interface Identity {
  readonly chainId: string
  readonly accounts: readonly string[]
}

const UNSUPPORTED = 4200
const UNKNOWN_CHAIN = 4902
const SIGNATURES = /^(?:personal_|eth_sign|eth_decrypt$|eth_getEncryptionPublicKey$)/
/** Notifications of the fork do not reach the page. */
const SUBSCRIPTIONS = /_(?:un)?subscribe$/

/** Answers what a wallet answers, and asks the node for everything else. */
export function forkedWallet({ chainId, accounts }: Identity, node: Request): Request {
  return async (method, params) => {
    switch (method) {
      case 'eth_accounts':
      case 'eth_requestAccounts':
        return accounts
      case 'wallet_getPermissions':
      case 'wallet_requestPermissions':
        return [{ parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: accounts }] }]
      case 'wallet_switchEthereumChain':
        if (chainOf(params) === BigInt(chainId)) return null
        throw refusal(UNKNOWN_CHAIN, 'the page uses a fork of one chain: go back to the wallet to change it')
    }
    if (SIGNATURES.test(method)) throw refusal(UNSUPPORTED, 'a fork cannot sign: the key stays in the wallet')
    if (SUBSCRIPTIONS.test(method)) throw refusal(UNSUPPORTED, 'a fork has no subscriptions: poll instead')
    return node(method, params)
  }
}

function chainOf(params: unknown): bigint | undefined {
  const [{ chainId = undefined } = {}] = (Array.isArray(params) ? params : []) as { readonly chainId?: unknown }[]
  return typeof chainId === 'string' && /^0x[0-9a-f]{1,64}$/i.test(chainId) ? BigInt(chainId) : undefined
}

function refusal(code: number, message: string): ProviderError {
  return new ProviderError({ code, message })
}
