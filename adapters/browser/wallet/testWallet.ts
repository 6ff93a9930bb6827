/**
 * A wallet whose user is a program. @see EIP-1193; EIP-2255; EIP-3326; EIP-3085
 * @module
 */
import { MAX_WAITING_APPROVALS } from '../../../src/base/limits/browserLimits.ts'
import { Chains, chainIdOfNode } from './chains.ts'
import type { WalletCall, WalletEvents, WalletNode, WalletOptions, WalletProvider, WalletRequest } from './contract.ts'
import { callLater, Listeners } from './listeners.ts'
import { addressOf, chainIdOf, hexOf, isRead, isSigning, ownCall, requireAccountsOnly, withAccount } from './methods.ts'
import { CODES, WalletError } from './walletError.ts'

type Params = readonly unknown[]
type Handler = (method: string, params: Params) => Promise<unknown>

interface Settings {
  readonly chains: readonly WalletNode[]
  readonly addable: readonly WalletNode[]
  readonly approve: NonNullable<WalletOptions['approve']>
}

export class TestWallet {
  readonly provider: WalletProvider
  readonly #approve: Settings['approve']
  readonly #chains: Chains
  readonly #listeners = new Listeners()
  /** Subscriptions that the page opened at the shown node. */
  readonly #subscriptions = new Set<unknown>()
  readonly #handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
    ['eth_accounts', () => this.#visibleAccounts()],
    ['eth_requestAccounts', (method, params) => this.#connect(method, params)],
    ['wallet_requestPermissions', (method, params) => this.#requestPermissions(method, params)],
    ['wallet_getPermissions', () => this.#permissions()],
    ['wallet_revokePermissions', (method, params) => this.#revoke(method, params)],
    ['wallet_switchEthereumChain', (method, params) => this.#switchFor(method, params)],
    ['wallet_addEthereumChain', (method, params) => this.#addFor(method, params)],
    ['wallet_watchAsset', (method, params) => this.#watchAsset(method, params)],
    ['wallet_getCapabilities', (method, params) => this.#capabilities(method, params)],
    ['eth_subscribe', (method, params) => this.#subscribe(method, params)],
    ['eth_unsubscribe', (method, params) => this.#unsubscribe(method, params)],
  ])
  #chosen: string | undefined
  #isPermitted = false
  #isConnected = true
  #isClosed = false
  #waiting = 0

  constructor(node: WalletNode, { approve, chains, addable }: Settings) {
    this.#approve = approve
    this.#chains = new Chains(
      node,
      { chains, addable },
      {
        connect: (event) => this.#onConnect(event),
        disconnect: (error) => this.#onDisconnect(error),
        chainChanged: (chainId) => this.#listeners.emit('chainChanged', chainId),
        // A closed node has no accounts.
        accountsChanged: () => void this.#announceAccounts().catch(() => {}),
        message: (message) => this.#onMessage(message),
      },
    )
    this.provider = this.#openProvider()
  }

  /** @throws {RangeError} */
  async switchAccount(address: string): Promise<void> {
    const account = addressOf('switchAccount', address)
    if (!(await this.#accounts()).includes(account)) throw new RangeError(`the node has no account ${account}`)
    this.#chosen = account
    await this.#announceAccounts()
  }

  /** @throws {WalletError} 4902 */
  async switchChain(chainId: number | bigint | string): Promise<void> {
    await this.#show(await this.#chains.find(hexOf(chainId)))
  }

  /** Takes the permission from the page. */
  disconnect(): void {
    if (!this.#isPermitted) return
    this.#isPermitted = false
    this.#listeners.emit('accountsChanged', [])
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#chains.close()
    this.#dropSubscriptions()
    this.#onDisconnect(closed())
  }

  #openProvider(): WalletProvider {
    const provider: WalletProvider = Object.freeze({
      request: (call: WalletCall) => this.#request(call),
      on: ((event, listener) => {
        this.#listeners.add(event, listener)
        if (event === 'connect') void this.#greet(listener as (event: WalletEvents['connect']) => void)
        return provider
      }) satisfies WalletProvider['on'],
      removeListener: ((event, listener) => {
        this.#listeners.remove(event, listener)
        return provider
      }) satisfies WalletProvider['removeListener'],
    })
    return provider
  }

  async #request(call: unknown): Promise<unknown> {
    if (this.#isClosed) throw closed()
    const { method, params } = ownCall(call)
    const handler = this.#handlers.get(method)
    if (handler !== undefined) return handler(method, params)
    if (isSigning(method)) return this.#sign(method, params)
    if (isRead(method)) return this.#ask(method, params)
    throw new WalletError('unsupported', `the wallet does not support ${method}`)
  }

  async #ask(method: string, params: Params = [], node: WalletNode = this.#chains.shown): Promise<unknown> {
    try {
      return await node.request({ method, params })
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== CODES.unknownMethod) throw error
      throw new WalletError('unsupported', `the wallet does not support ${method}`, { cause: error })
    }
  }

  /** The accounts of the shown node, the chosen one first. */
  async #accounts(): Promise<readonly string[]> {
    const all = ((await this.#ask('eth_accounts')) as string[]).map((account) => account.toLowerCase())
    const chosen = this.#chosen
    if (chosen === undefined || !all.includes(chosen)) return all
    return [chosen, ...all.filter((account) => account !== chosen)]
  }

  async #visibleAccounts(): Promise<readonly string[]> {
    return this.#isPermitted ? this.#accounts() : []
  }

  async #connect(method: string, params: Params): Promise<readonly string[]> {
    if (!this.#isPermitted) await this.#grant(method, params)
    return this.#accounts()
  }

  async #grant(method: string, params: Params): Promise<void> {
    await this.#decide(method, params)
    const isNew = !this.#isPermitted
    this.#isPermitted = true
    if (isNew) await this.#announceAccounts()
  }

  async #requestPermissions(method: string, params: Params): Promise<unknown> {
    requireAccountsOnly(method, params)
    await this.#grant(method, params)
    return this.#permissions()
  }

  async #permissions(): Promise<unknown> {
    if (!this.#isPermitted) return []
    const caveats = [{ type: 'restrictReturnedAccounts', value: await this.#accounts() }]
    return [{ parentCapability: 'eth_accounts', caveats }]
  }

  async #revoke(method: string, params: Params): Promise<null> {
    requireAccountsOnly(method, params)
    this.disconnect()
    return null
  }

  async #switchFor(method: string, params: Params): Promise<null> {
    const node = await this.#chains.find(chainIdOf(method, params))
    if (node !== this.#chains.shown) {
      await this.#decide(method, params)
      await this.#show(node)
    }
    return null
  }

  /** Shows the added chain, as common wallets do. */
  async #addFor(method: string, params: Params): Promise<null> {
    const node = await this.#chains.findAddable(chainIdOf(method, params))
    if (node !== this.#chains.shown) {
      await this.#decide(method, params)
      this.#chains.add(node)
      await this.#show(node)
    }
    return null
  }

  async #watchAsset(method: string, params: Params): Promise<unknown> {
    await this.#decide(method, params)
    return this.#ask(method, params)
  }

  async #capabilities(method: string, params: Params): Promise<unknown> {
    await this.#requirePermission(addressOf(method, params[0]))
    return this.#ask(method, params)
  }

  async #sign(method: string, given: Params): Promise<unknown> {
    const node = this.#chains.shown
    const { account, params } = withAccount(method, given, (await this.#visibleAccounts())[0] ?? '')
    await this.#requirePermission(account)
    await this.#decide(method, params, account)
    if (!this.#isPermitted) throw unauthorized(account)
    return this.#ask(method, params, node)
  }

  /** @throws {WalletError} 4100 */
  async #requirePermission(account: string): Promise<void> {
    if (!(await this.#visibleAccounts()).includes(account)) throw unauthorized(account)
  }

  /** @throws {WalletError} 4001 unless the program says yes */
  async #decide(method: string, params: Params, account?: string): Promise<void> {
    if (this.#waiting >= MAX_WAITING_APPROVALS) {
      throw new WalletError('tooMany', `${MAX_WAITING_APPROVALS} requests wait for their approval`)
    }
    this.#waiting++
    try {
      const request: WalletRequest = { method, params, account, chainId: await chainIdOfNode(this.#chains.shown) }
      if ((await this.#approve(request)) !== true) throw new WalletError('refused', `the user refused ${method}`)
    } catch (error) {
      if (error instanceof WalletError) throw error
      throw new WalletError('refused', `the approval of ${method} failed`, { cause: error })
    } finally {
      this.#waiting--
    }
    if (this.#isClosed) throw closed()
  }

  async #show(node: WalletNode): Promise<void> {
    if (node === this.#chains.shown) return
    this.#dropSubscriptions()
    this.#chains.show(node)
    this.#listeners.emit('chainChanged', await chainIdOfNode(node))
    await this.#announceAccounts()
  }

  async #announceAccounts(): Promise<void> {
    if (this.#isPermitted) this.#listeners.emit('accountsChanged', await this.#accounts())
  }

  async #subscribe(method: string, params: Params): Promise<unknown> {
    const id = await this.#ask(method, params)
    this.#subscriptions.add(id)
    return id
  }

  async #unsubscribe(method: string, params: Params): Promise<unknown> {
    if (!this.#subscriptions.delete(params[0])) return false
    return this.#ask(method, params)
  }

  /** The page sees events of the shown chain only. */
  #dropSubscriptions(): void {
    for (const id of this.#subscriptions) void this.#ask('eth_unsubscribe', [id]).catch(() => {})
    this.#subscriptions.clear()
  }

  #onMessage(message: WalletEvents['message']): void {
    const { subscription } = message.data as { readonly subscription?: unknown }
    if (this.#subscriptions.has(subscription)) this.#listeners.emit('message', message)
  }

  #onConnect(event: WalletEvents['connect']): void {
    if (this.#isConnected) return
    this.#isConnected = true
    this.#listeners.emit('connect', event)
  }

  #onDisconnect(error: WalletEvents['disconnect']): void {
    if (!this.#isConnected) return
    this.#isConnected = false
    this.#listeners.emit('disconnect', error)
  }

  /** A page that listens after the connection hears of it too. */
  async #greet(listener: (event: WalletEvents['connect']) => void): Promise<void> {
    if (!this.#isConnected) return
    const chainId = await chainIdOfNode(this.#chains.shown).catch(() => undefined)
    if (chainId !== undefined && this.#listeners.has('connect', listener)) callLater(listener, { chainId })
  }
}

function unauthorized(account: string): WalletError {
  const which = account === '' ? 'any account' : account
  return new WalletError('unauthorized', `the page may not use ${which}: it must call eth_requestAccounts first`)
}

function closed(): WalletError {
  return new WalletError('disconnected', 'the wallet is closed')
}
