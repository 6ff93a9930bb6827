/**
 * The provider as programs see it: requests, events and errors.
 * @module
 */
import type { ValueProblem } from '../api/errors.ts'
import { ERROR_DOCS } from '../base/primitives/errors.ts'
import { ERROR_NUMBERS } from './errorNumbers.ts'

/** EIP-1193: the provider is disconnected from all chains. */
export const DISCONNECTED = 4900

export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | object
}

/** Accepts both the plain form and that of EIP-1193. */
export interface RequestFunction {
  <T = unknown>(method: string, params?: readonly unknown[] | object): Promise<T>
  <T = unknown>(call: RequestArguments): Promise<T>
}

/** Subscriptions of `eth_subscribe`, each with the type of its notifications, as JSON. */
export interface SubscriptionEvents {
  /** Header of each new block of the canonical chain. */
  newHeads: Readonly<Record<string, unknown>>
  /** Log of a new block, or with `removed: true` of a block that left the canonical chain. */
  logs: Readonly<Record<string, unknown>>
  /** Hash; with the parameter `true`, the transaction. */
  newPendingTransactions: unknown
  /** Hash. */
  droppedPendingTransactions: unknown
  /** `false`, or the progress. */
  syncing: unknown
}

/** Events of EIP-1193. */
export interface ProviderEvents {
  /** The node serves requests. Each listener is called once, soon after it was added: the node is connected. */
  connect: { readonly chainId: string }
  /** The node was closed. */
  disconnect: RequestError
  /** The chain id, in hex, after it changed, for example by `anvil_setChainId`. */
  chainChanged: string
  /** The accounts that the node can send for, after they changed, for example by `anvil_impersonateAccount`. */
  accountsChanged: readonly string[]
  /** A notification of a subscription that `request` opened with `eth_subscribe` or `debug_subscribe`. */
  message: ProviderMessage
}

export interface ProviderMessage {
  readonly type: 'eth_subscription' | 'debug_subscription'
  readonly data: { readonly subscription: string; readonly result: unknown }
}

/** Criteria of the subscription `logs`: addresses and topics as in `eth_getLogs`. */
export interface LogCriteria {
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | null | readonly string[])[]
}

/** Parts of a {@link RequestError}. */
export interface RequestErrorParts extends ValueProblem {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly stackTrace?: readonly string[]
}

/**
 * An error response of JSON-RPC, or one of EIP-1193: 4900 when the node is closed.
 * @example
 * const node = await startNode({ listen: false })
 * const error = await node.request('eth_nothing').catch((reason) => reason)
 * console.log(error instanceof RequestError, error.code, error.message, error.docs)
 * await node.close()
 */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  /** A code of JSON-RPC (EIP-1474) or EIP-1193. */
  readonly code: number
  /** Such as the output of a reverted call. */
  readonly data: unknown
  /** Lines of the Solidity stack trace of a failed execution, the failed function first, where sources are known. */
  readonly stackTrace: readonly string[] | undefined
  /** For a refused parameter, the form that the node expects: `20 bytes`. */
  readonly expected: string | undefined
  /** For a refused parameter, the value in short, or its length: `"0x12"`, `1 byte`. */
  readonly got: string | undefined
  /** Name of the refused parameter and path of the member in it: `call.to`. */
  readonly parameter: string | undefined

  constructor({ code, message, data, stackTrace, expected, got, parameter }: RequestErrorParts) {
    super(message)
    this.code = code
    this.data = data
    this.stackTrace = stackTrace
    this.expected = expected
    this.got = got
    this.parameter = parameter
  }

  /** Address of the description of this code: its cause, and what helps. The whole page for a code without one. */
  get docs(): string {
    const isExplained = this.code === DISCONNECTED || ERROR_NUMBERS.has(this.code)
    return isExplained ? `${ERROR_DOCS}#${Math.abs(this.code)}` : ERROR_DOCS
  }
}
