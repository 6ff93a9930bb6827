/**
 * The wallet for tests as tests and pages see it.
 * @module
 */

/** Arguments of a request, as of EIP-1193. */
export interface WalletCall {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** The node below a wallet: any EIP-1193 provider, such as what `createBrowserNode` and `startNode` return. */
export interface WalletNode {
  request(call: WalletCall): Promise<unknown>
  on<Name extends keyof WalletEvents>(event: Name, listener: (event: WalletEvents[Name]) => void): unknown
  removeListener(event: keyof WalletEvents, listener: (event: never) => void): unknown
}

/** A request that waits for its approval. */
export interface WalletRequest {
  readonly method: string
  readonly params: readonly unknown[]
  /** Of the chain that the wallet shows to the page, in hex. */
  readonly chainId: string
  /** The account that would sign, in lower case; undefined for requests that sign nothing. */
  readonly account: string | undefined
}

export interface WalletOptions {
  /** Shown by the page. Default: `'isonode'`. */
  readonly name?: string | undefined
  /** A data URI of an image. Default: a plain one. */
  readonly icon?: string | undefined
  /** Reverse domain name that pages know the wallet by. Default: `'io.github.isonode'`. */
  readonly rdns?: string | undefined
  /**
   * Decides about connections, signatures, transactions, and changes of the chain: what is not `true` refuses, with the
   * code 4001. The answer may take its time. Default: yes on dev chains, no on others.
   */
  readonly approve?: ((request: WalletRequest) => boolean | Promise<boolean>) | undefined
  /** Nodes of further chains, to which a page may ask to switch. Default: none. */
  readonly chains?: readonly WalletNode[] | undefined
  /** Nodes of chains that the wallet does not know before a page asks to add them. Default: none. */
  readonly addable?: readonly WalletNode[] | undefined
  /** Where the wallet is announced. Default: the window of the caller. */
  readonly window?: EventTarget | undefined
}

/** How a wallet introduces itself. @see EIP-6963 */
export interface WalletInfo {
  /** Another one for each announced wallet. */
  readonly uuid: string
  readonly name: string
  readonly icon: string
  readonly rdns: string
}

/** Events of EIP-1193. */
export interface WalletEvents {
  connect: { readonly chainId: string }
  disconnect: Error & { readonly code: number }
  chainChanged: string
  /** Those that the page may use, the chosen one first. */
  accountsChanged: readonly string[]
  message: { readonly type: string; readonly data: unknown }
}

/** The side of the page. @see EIP-1193 */
export interface WalletProvider {
  /**
   * @throws {WalletError} 4001 refused, 4100 without permission, 4200 not a method of a wallet, 4900 closed, 4902 no such
   *   chain, and the codes of the node
   */
  readonly request: (call: WalletCall) => Promise<unknown>
  readonly on: <Name extends keyof WalletEvents>(
    event: Name,
    listener: (event: WalletEvents[Name]) => void,
  ) => WalletProvider
  readonly removeListener: <Name extends keyof WalletEvents>(
    event: Name,
    listener: (event: WalletEvents[Name]) => void,
  ) => WalletProvider
}

/** The side of the test, which acts as the user does in the window of a wallet. */
export interface Wallet {
  readonly info: WalletInfo
  readonly provider: WalletProvider
  /**
   * Makes an account of the node the first of those that the page sees.
   * @throws {RangeError} when the node has no such account
   */
  switchAccount(address: string): Promise<void>
  /**
   * @param chainId of a node of the wallet
   * @throws {WalletError} 4902
   */
  switchChain(chainId: number | bigint | string): Promise<void>
  /** Takes the permission from the page, as if it had called `wallet_revokePermissions`. */
  disconnect(): void
  /** Withdraws the wallet. The node stays open. */
  close(): void
}
