/**
 * The only way from the page to a chain. The page does not know whether this node, another client or a node in the
 * browser answers.
 * @see EIP-1193
 * @module
 */

export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | undefined
  /** Ends the wait, not the work of the node. Only providers of this page know it. */
  readonly signal?: AbortSignal | undefined
}

export type Listener = (value: unknown) => void

export interface Provider {
  request(request: RequestArguments): Promise<unknown>
  /** `message` carries `{ type: 'eth_subscription', data: { subscription, result } }`, `disconnect` an error. */
  on?(event: string, listener: Listener): unknown
  removeListener?(event: string, listener: Listener): unknown
}

declare global {
  /** Set by a page that runs a node, before it loads this one. */
  var isonodeProvider: Provider | undefined
}
