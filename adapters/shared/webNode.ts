/**
 * The common part of nodes in pages and Workers, which use only web standards.
 * @module
 */

import { NodeError } from '../../src/base/primitives/errors.ts'
import type { ImportReport } from '../../src/chain/importReport.ts'
import { parseGenesisFile } from '../../src/config/genesisFile.ts'
import { defaultOptions, type NodeOptions } from '../../src/config/options.ts'
import type { ComposedNode } from '../../src/node/composeNode.ts'
import type { NodeGenesis, NodeHost } from '../../src/node/host.ts'
import { type NodeSettings, settingsOf } from '../../src/node/settings/nodeSettings.ts'
import type { BlockImportOptions } from './nodeHandle.ts'

/**
 * The settings without the host and origin checks of a listening socket, since there is none.
 * @param memoryTarget bytes, unless the options say otherwise
 */
export function webSettings(
  isDev: boolean,
  memoryTarget: number,
  options: NodeOptions = defaultOptions(isDev),
): NodeSettings {
  const target = options['memory-target'] ?? memoryTarget
  return { ...settingsOf({ ...options, 'memory-target': target }, isDev), hosts: ['*'] }
}

/**
 * @param text of a genesis file
 * @throws {NodeError} INVALID_GENESIS
 */
export function fileGenesis(text: string): NodeGenesis {
  return { genesis: parseGenesisFile(text), text }
}

/**
 * Imports the blocks of an RLP stream until its end, or until aborted.
 * @throws {NodeError} INVALID_BLOCK at the first invalid block; the blocks before it are kept
 */
export async function importStream(
  node: Pick<ComposedNode, 'chain'>,
  { senders, clock, residency }: Pick<NodeHost, 'senders' | 'clock' | 'residency'>,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: BlockImportOptions,
): Promise<ImportReport> {
  const modules = { chain: node.chain, senders, clock, ...(residency === undefined ? {} : { residency }) }
  const [{ importBlocks }, { readBlocks }] = await Promise.all([
    import('../../src/chain/import.ts'),
    import('../../src/types/blockSplitter.ts'),
  ])
  const report = await importBlocks(modules, { ...options, blocks: readBlocks(bytes) })
  if (report.end.kind !== 'failed') return report
  throw new NodeError({ code: 'INVALID_BLOCK', number: report.end.number }, report.end.reason)
}
