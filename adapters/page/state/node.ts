/**
 * The node that the page speaks to, as signals.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { quantity } from '../format/hex.ts'
import { type Capabilities, UNKNOWN } from '../rpc/capabilities.ts'
import type { Provider } from '../rpc/eip1193.ts'
import { ConnectionError, providerError, UnauthorizedError } from '../rpc/errors.ts'
import { openProvider } from '../rpc/provider.ts'

/** `polling`: connected, without notifications. */
export type Connection = 'connecting' | 'live' | 'polling' | 'disconnected' | 'login'

export const provider: Provider = openProvider()
export const capabilities: Signal<Capabilities> = signal(UNKNOWN)
export const connection: Signal<Connection> = signal('connecting')
/** Unix time in ms of the last answer. */
export const lastAnswer: Signal<number> = signal(Date.now())
export const chainId: Signal<bigint | undefined> = signal(undefined)

/** Asks the node. The result has the type that the method documents; it is not checked. */
export async function request<T>(method: string, params: readonly unknown[] = [], signal?: AbortSignal): Promise<T> {
  try {
    const result = await provider.request({ method, params, signal })
    answered()
    return result as T
  } catch (cause) {
    const error = providerError(method, cause)
    if (error instanceof UnauthorizedError) connection.value = 'login'
    else if (error instanceof ConnectionError && !method.startsWith('eth_subscribe')) connection.value = 'disconnected'
    else if (!signal?.aborted) answered()
    throw error
  }
}

function answered(): void {
  lastAnswer.value = Date.now()
  if (connection.peek() === 'disconnected' || connection.peek() === 'connecting') connection.value = 'polling'
}

/** Asks what the node is and what it offers. */
export async function discover(): Promise<void> {
  const [modules, client, id] = await Promise.allSettled([
    request<Readonly<Record<string, string>>>('rpc_modules'),
    request('web3_clientVersion'),
    request('eth_chainId'),
  ])
  capabilities.value = {
    groups: modules.status === 'fulfilled' ? new Set(Object.keys(modules.value ?? {})) : undefined,
    client: client.status === 'fulfilled' && typeof client.value === 'string' ? client.value : '',
  }
  if (id.status === 'fulfilled') chainId.value = quantity(id.value)
}
