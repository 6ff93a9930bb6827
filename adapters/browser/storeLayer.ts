/**
 * A layer that the worker of a shared node lays over the database of its node. It is no option, because programs cannot use it.
 * @module
 */
import type { KeyValueStore } from '../../src/base/ports/keyValueStore.ts'
import type { ResidentStore } from '../../src/storage/residentStore.ts'
import type { BrowserNodeOptions } from './contract.ts'

/** @returns a store that sees the batches of the node */
export type StoreLayer = (store: ResidentStore) => Promise<KeyValueStore>

const layers = new WeakMap<object, StoreLayer>()

/** @returns the options for a node whose database has the layer over it */
export function withLayer(options: BrowserNodeOptions, layer: StoreLayer): BrowserNodeOptions {
  const layered = { ...options }
  layers.set(layered, layer)
  return layered
}

export const layerOf = (options: BrowserNodeOptions): StoreLayer | undefined => layers.get(options)
