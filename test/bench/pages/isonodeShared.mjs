/** A node in a shared worker. */
import { createSharedNode } from '../../../dist/adapters/browser/shared.js'
import { begin } from './load.mjs'
import { provided } from './provided.mjs'

begin(async (options) =>
  provided(await createSharedNode({ ...options, worker: new URL('./worker.js', import.meta.url) })),
)
