/**
 * A node in a page that answers from a mirror: files of a web server.
 * @module
 */
import {
  PAGE_INDEX_AHEAD_BYTES,
  PAGE_MEMORY_BYTES,
  PAGE_MIRROR_CACHE_BYTES,
  PAGE_MIRROR_LAG_MS,
  PAGE_MIRROR_POLL_MS,
} from '../../src/base/limits/limits.ts'
import type { Clock } from '../../src/base/ports/host.ts'
import { InlineRecovery } from '../../src/base/ports/inlineRecovery.ts'
import { hexToBytes } from '../../src/base/primitives/bytes.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { loadRecovery } from '../../src/base/primitives/recovery.ts'
import { ANY_PUBLISHER } from '../../src/cli/mirrorRules.ts'
import { defaultOptions } from '../../src/config/options.ts'
import type { Evm } from '../../src/evm/evm.ts'
import { compileNativeModule } from '../../src/evm/native/compileModule.ts'
import { openReplica, type ReplicaOptions } from '../../src/node/readOnly/replica.ts'
import { loadErrorTable } from '../../src/rpc/errorTable.ts'
import { API_GROUPS } from '../../src/rpc/method.ts'
import { keepAlive, localNode } from '../shared/localNode.ts'
import { HttpObjects } from '../shared/objects/httpObjects.ts'
import { retryingReader } from '../shared/objects/retrying.ts'
import { LOG_PROPERTIES, openLog } from '../shared/openLog.ts'
import { webSettings } from '../shared/webNode.ts'
import { webClock, webRandom, webTimers } from '../shared/webPorts.ts'
import type { BrowserNode, BrowserNodeOptions } from './contract.ts'
import { installBrowserCrypto } from './crypto.ts'
import { createHostYield } from './hostYield.ts'

/** Browsers open six connections to a server. */
const MAX_PARALLEL = 6
/** The other options describe a chain of the page's own. */
const ACCEPTED: ReadonlySet<string> = new Set([
  'mirror',
  'publisher',
  'crypto',
  'loadReferenceEvm',
  'logLevel',
  ...Object.keys(LOG_PROPERTIES),
])

/**
 * @throws {NodeError} INVALID_OPTION that names the option, WASM_UNAVAILABLE, MIRROR_UNAVAILABLE, MIRROR_DAMAGED, MIRROR_FORMAT,
 *   MIRROR_UNSIGNED
 */
export async function openPageMirror(options: BrowserNodeOptions): Promise<BrowserNode> {
  const other = Object.entries(options).find(([name, value]) => value !== undefined && !ACCEPTED.has(name))
  if (other !== undefined) throw invalidOption(`'${other[0]}' cannot be combined with 'mirror'`)
  const publisher = publisherOf(options.publisher)
  const objects = retryingReader(new HttpObjects(String(options.mirror)))
  const { logger } = await openLog(defaultOptions(false), options, async () => [])
  const { nativeModule } = await installBrowserCrypto(compileNativeModule(), options.crypto)
  const load = options.loadReferenceEvm
  if (nativeModule === undefined && load === undefined) {
    throw new NodeError(
      { code: 'WASM_UNAVAILABLE' },
      'this page cannot compile the WebAssembly EVM: pass loadReferenceEvm',
    )
  }
  const yieldToHost = createHostYield()
  const host = {
    objects,
    clock: webClock,
    timers: webTimers,
    random: webRandom,
    logger,
    senders: new InlineRecovery({ clock: webClock, yieldToHost }),
    yieldToHost,
    platform: 'web/browser',
    ...(nativeModule === undefined ? {} : { evmModule: nativeModule }),
    ...(load && {
      loadReferenceEvm: async (clock: Clock) => ((await load()).createReferenceEvm as (clock: Clock) => Evm)(clock),
    }),
  }
  const settings = {
    ...webSettings(false, PAGE_MEMORY_BYTES),
    evm: nativeModule === undefined ? ('reference' as const) : ('native' as const),
    groups: API_GROUPS,
    corsOrigins: ['*'],
  }
  // The signature of the first manifest is checked before anything is answered.
  await Promise.all([loadRecovery(), loadErrorTable()])
  const { node, close } = await openReplica(host, { ...LIMITS, publisher }, settings)
  const provider = node.openProvider({ onPending: keepAlive })
  const refused = { import: refuse, exportChain: refuse, importChain: refuse }
  return localNode(node, provider, [], close, refused)
}

const LIMITS: Omit<ReplicaOptions, 'publisher'> = {
  cacheBytes: PAGE_MIRROR_CACHE_BYTES,
  pollMs: PAGE_MIRROR_POLL_MS,
  maxLagMs: PAGE_MIRROR_LAG_MS,
  whenStale: 'serve',
  maxParallel: MAX_PARALLEL,
  maxIndexBytes: PAGE_INDEX_AHEAD_BYTES,
}

/** @returns undefined: any */
function publisherOf(publisher: string | undefined): Uint8Array | undefined {
  if (publisher === ANY_PUBLISHER) return undefined
  if (publisher !== undefined && /^0x[0-9a-fA-F]{40}$/.test(publisher)) return hexToBytes(publisher)
  throw invalidOption("'publisher' must be the address that the publisher of the mirror prints, or 'any'")
}

async function refuse(): Promise<never> {
  throw new NodeError({ code: 'READ_ONLY_NODE' }, 'this node is read-only: it answers from a mirror')
}

function invalidOption(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
