/**
 * Starts the explorer over a node in this browser, or the view in which the reader chooses a chain.
 *
 * - `address.ts`: what the query names
 * - `node`: the node of all tabs, or of this one, and the way to it
 * - `start`: the view of the choice
 * - `offline`: the service worker that keeps the files
 *
 * The explorer is the page of `adapters/page`, with the node as its `isonodeProvider`.
 * @module
 */
import type { Provider } from '../page/rpc/eip1193.ts'
import { applyTheme } from '../page/state/theme.ts'
import { type Place, placeOf } from './address.ts'
import { showBar } from './bar.ts'
import { openSharedNode } from './node/sharedNode.ts'
import { WorkerNode } from './node/workerNode.ts'
import { keepFiles } from './offline/keepFiles.ts'
import { problemOf } from './problems.ts'
import { findWallet } from './wallets.ts'

/** The built page of `adapters/page`, seen from this file; the build writes it. */
declare const EXPLORER: string

async function open(): Promise<void> {
  const place = placeOf(location.search)
  if (place.kind === 'start') return chooseChain()
  showBar(place)
  if (place.kind === 'node') globalThis.isonodeProvider = await openNode(place)
  await import(EXPLORER)
  started()
}

async function openNode({ choice, wallet: id }: Extract<Place, { kind: 'node' }>): Promise<Provider> {
  if (choice.kind === 'saved') return openSharedNode(choice)
  const wallet = id === undefined ? undefined : (await findWallet(id)).provider
  const node = new WorkerNode({ wallet })
  await node.open(choice).catch((error: unknown) => {
    node.close()
    throw error
  })
  return node
}

/** @param problem why the chain of the address cannot be shown */
async function chooseChain(problem?: string): Promise<void> {
  const { showStart } = await import('./start/main.tsx')
  showStart(problem)
  started()
}

function started(): void {
  document.getElementById('starting')?.remove()
}

applyTheme()
keepFiles()
open().catch((error: unknown) => chooseChain(problemOf(error)))
