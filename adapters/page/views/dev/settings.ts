/**
 * Settings of a dev chain, as far as the client tells them.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import type { Ask } from '../../rpc/ask.ts'
import { useQuery } from '../../state/query.ts'

export interface Metadata {
  readonly instanceId?: string
  readonly forkedNetwork?: { readonly chainId: number; readonly forkBlockNumber: number } | null
  /** Number and hash of the block, by the id of the snapshot. */
  readonly snapshots?: Readonly<Record<string, readonly [number: number, hash: string]>>
}

export interface DevSettings {
  readonly automine?: boolean | undefined
  /** null: no interval */
  readonly intervalSeconds?: number | null | undefined
  readonly forkedNetwork?: Metadata['forkedNetwork'] | undefined
}

/** Rises with each change that this page makes to settings, which no block shows. */
export const changes: Signal<number> = signal(0)

export function changed(): void {
  changes.value++
}

export function useDevSettings(): DevSettings {
  const { data } = useQuery<DevSettings>(`settings ${changes.value}`, askSettings, { isLive: true })
  return data ?? {}
}

async function askSettings(ask: Ask): Promise<DevSettings> {
  const [automine, interval, metadata] = await Promise.allSettled([
    ask<boolean>('anvil_getAutomine'),
    ask<number | null>('anvil_getIntervalMining'),
    ask<Metadata>('anvil_metadata'),
  ])
  return {
    automine: resultOf(automine),
    intervalSeconds: resultOf(interval),
    forkedNetwork: resultOf(metadata)?.forkedNetwork,
  }
}

/** Other clients lack some of these methods. */
function resultOf<T>(outcome: PromiseSettledResult<T>): T | undefined {
  return outcome.status === 'fulfilled' ? outcome.value : undefined
}
