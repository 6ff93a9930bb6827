import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { NodeOptions } from '../../src/config/options.ts'
import type { Enode } from '../../src/p2p/enode.ts'
import { parseStaticNodes } from '../../src/p2p/peers/staticNodes.ts'
import { NodeError } from '../../src/primitives/errors.ts'
import { withAddresses } from './peerSources.ts'

/** @param directory of the data; undefined: they are in memory */
export function staticNodesFile(options: NodeOptions, directory: string | undefined): string | undefined {
  return options['static-nodes-file'] ?? (directory && path.join(directory, 'static-nodes.json'))
}

/**
 * Reads the peers of --static-nodes-file. A missing file is an empty list.
 * @throws {NodeError} INVALID_STATIC_NODES naming the file and the entry
 */
export async function readStaticNodes(
  file: string | undefined,
  options: Pick<NodeOptions, 'Xdns-enabled'>,
): Promise<readonly Enode[]> {
  if (file === undefined) return []
  try {
    const text = textOf(file)
    return text === undefined ? [] : parseStaticNodes(await withAddresses(text, options))
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
