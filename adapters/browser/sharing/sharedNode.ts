/**
 * A node that the tabs of a web site share.
 * @module
 */
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { BlockImportOptions } from '../../shared/nodeHandle.ts'
import { bytesOf } from '../blockSource.ts'
import type { BlockSource, BrowserNode, BrowserNodeOptions } from '../contract.ts'
import { LeaderConnector, SharedWorkerConnector } from './connectors.ts'
import { webLocks } from './locks.ts'
import { nodeName } from './names.ts'
import { TabNode } from './tabNode.ts'
import { shareNode as openUnshared } from './unsharedNode.ts'
import { dedicatedWorker, hasSharedWorkers, hasWorkers, sharedWorker } from './workers.ts'

/** Options with functions and streams, which stay in the tab. */
const UNSHARED = ['log', 'logger', 'crypto', 'loadReferenceEvm', 'blocks'] as const

/**
 * Joins the node of the web site, or starts it: in a shared worker where there are any, otherwise in a worker of one tab, whose
 * place another tab takes when it ends. Where a page may have neither, the node is in memory, in the tab.
 * @param openAlone starts a node in the tab
 * @throws {NodeError} as createBrowserNode
 */
export async function shareNode(
  options: BrowserNodeOptions,
  openAlone: (options: BrowserNodeOptions) => Promise<BrowserNode>,
): Promise<BrowserNode> {
  const { share, worker, ...given } = options
  requireValid(share, worker)
  if (share !== true || worker === false) return openAlone(given)
  const locks = webLocks()
  if (locks === undefined || !('BroadcastChannel' in globalThis) || !hasWorkers(worker)) {
    return openUnshared({ ...given, share }, openAlone)
  }
  const node = nodeName(given)
  const parts = { node, locks, options: clonedOptions(given) }
  const connector = hasSharedWorkers()
    ? new SharedWorkerConnector(parts, () => sharedWorker(worker, node))
    : new LeaderConnector(parts, () => dedicatedWorker(worker, node))
  const tab = new TabNode(connector)
  try {
    await tab.open()
  } catch (error) {
    await tab.close()
    throw error
  }
  return browserNode(tab)
}

/** @throws {NodeError} INVALID_OPTION */
function requireValid(share: unknown, worker: unknown): void {
  const invalid = (name: string, expected: string): NodeError =>
    new NodeError({ code: 'INVALID_OPTION' }, `'${name}': expected ${expected}`)
  if (share !== undefined && typeof share !== 'boolean') throw invalid('share', 'true or false')
  const isWorker = worker === undefined || worker === false || typeof worker === 'function' || worker instanceof URL
  if (!isWorker) throw invalid('worker', 'false, a URL or a function')
}

/** @throws {NodeError} INVALID_OPTION */
function clonedOptions(options: BrowserNodeOptions): Readonly<Record<string, unknown>> {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const unshared = UNSHARED.find((name) => name in given)
  if (unshared !== undefined) {
    throw new NodeError({ code: 'INVALID_OPTION' }, `'${unshared}' cannot be combined with 'share'`)
  }
  try {
    return structuredClone(given)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new NodeError({ code: 'INVALID_OPTION' }, `an option cannot be passed to a worker: ${reason}`, { cause })
  }
}

/** The handle with the members of a node in the tab. */
function browserNode(tab: TabNode): BrowserNode {
  const close = (): Promise<void> => tab.close()
  const members = {
    request: tab.request,
    on: (...subscription: Parameters<TabNode['on']>) => {
      tab.on(...subscription)
      return handle
    },
    removeListener: (...subscription: Parameters<TabNode['removeListener']>) => {
      tab.removeListener(...subscription)
      return handle
    },
    get accounts() {
      return tab.accounts
    },
    fetch: tab.fetch,
    import: async (blocks: BlockSource, { verifySeal = true, signal }: BlockImportOptions = {}) => {
      const blob = await blobOf(blocks)
      signal?.throwIfAborted()
      return tab.import(blob, verifySeal)
    },
    exportChain: async () => (await chainFile()).exportChain(tab.request),
    importChain: async (file: BlockSource) => (await chainFile()).importChain(tab.request, bytesOf(file)),
    close,
    [asyncDispose]: close,
  }
  const handle = members as unknown as BrowserNode
  return handle
}

/** Older browsers lack the symbol. */
const asyncDispose: symbol = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

const chainFile = (): Promise<typeof import('../../shared/chainFile.ts')> => import('../../shared/chainFile.ts')

/** A blob reaches the worker without a copy. */
async function blobOf(blocks: BlockSource): Promise<Blob> {
  if (blocks instanceof Blob) return blocks
  if (blocks instanceof Uint8Array) return new Blob([blocks.slice()])
  if (blocks instanceof ArrayBuffer) return new Blob([blocks])
  if (blocks instanceof ReadableStream) return new Response(blocks).blob()
  const chunks: BlobPart[] = []
  for await (const chunk of blocks) chunks.push(chunk.slice())
  return new Blob(chunks)
}
