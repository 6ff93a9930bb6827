import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { HostNames } from '../../../src/base/ports/hostNames.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { Enode } from '../../../src/net/p2p/enode.ts'
import { hostNames, replaceHostNames } from '../../../src/net/p2p/hostNames.ts'
import { parseStaticNodes } from '../../../src/net/p2p/peers/staticNodes.ts'
import { withAddresses } from './peerSources.ts'

export const STATIC_NODES_FILE = 'static-nodes.json'

/**
 * @param file that an option names
 * @param directory of the data; undefined: they are in memory
 */
export function staticNodesFile(file: string | undefined, directory: string | undefined): string | undefined {
  return file ?? (directory && path.join(directory, STATIC_NODES_FILE))
}

/** Peers to stay connected to. */
export interface StaticPeers {
  readonly staticNodes: readonly Enode[]
  /** undefined: enode URLs need addresses. */
  readonly hostNames: HostNames | undefined
}

/**
 * Reads the peers of --static-nodes-file. A missing file is an empty list.
 * @throws {NodeError} INVALID_STATIC_NODES naming the file and the entry
 */
export async function readStaticNodes(
  file: string | undefined,
  options: Pick<NodeOptions, 'Xdns-enabled' | 'Xdns-update-enabled'>,
): Promise<StaticPeers> {
  const { 'Xdns-enabled': allowsNames, 'Xdns-update-enabled': areUpdated } = options
  const withNames = (urls: readonly string[]): HostNames | undefined =>
    allowsNames ? { areUpdated, staticNodes: urls, resolve: (url) => withAddresses(url, options) } : undefined
  try {
    const text = file === undefined ? undefined : textOf(file)
    if (text === undefined) return { staticNodes: [], hostNames: withNames([]) }
    if (!areUpdated || hostNames(text).length === 0) {
      return { staticNodes: parseStaticNodes(await withAddresses(text, options)), hostNames: withNames([]) }
    }
    // Every entry is checked, with any address in place of its name.
    parseStaticNodes(replaceHostNames(text, () => '127.0.0.1'))
    const entries = JSON.parse(text) as readonly string[]
    const isNamed = (url: string): boolean => hostNames(url).length > 0
    return {
      staticNodes: parseStaticNodes(JSON.stringify(entries.filter((url) => !isNamed(url)))),
      hostNames: withNames(entries.filter(isNamed)),
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new NodeError({ code: 'INVALID_STATIC_NODES' }, `${file}: ${reason}`, { cause: error })
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new NodeError({ code: 'INVALID_STATIC_NODES' }, `static nodes: the file cannot be read: ${reason}`)
  }
}
