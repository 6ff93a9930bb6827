/** Recorded chains in separate data directories, created by the program under test. */
import path from 'node:path'
import { runCommand, temporaryDirectory } from '../nodes/program.ts'
import { conformancePath, recordedPath } from '../recorded/conformance.ts'

export interface ImportedChain {
  readonly genesisFile: string
  readonly blocksFile: string
  readonly directory: string
  /** Options that select chain and data. */
  readonly options: readonly string[]
}

/** A recorded chain to import. */
export function recordedChain(folder: string): ImportedChain {
  const genesisFile = recordedPath(folder, 'genesis.json')
  const blocksFile = conformancePath(folder, 'blocks.bin') ?? recordedPath(folder, 'chain.rlp')
  const directory = path.join(temporaryDirectory(), 'data')
  const options = [`--genesis-file=${genesisFile}`, `--data-path=${directory}`]
  return { genesisFile, blocksFile, directory, options }
}

/** Imports the whole file without checking seals, because some recorded chains have empty seals. */
export async function importChain({ options, blocksFile }: ImportedChain): Promise<void> {
  const { code, stderr } = await runCommand([
    ...options,
    'blocks',
    'import',
    `--from=${blocksFile}`,
    '--skip-pow-validation-enabled',
  ])
  if (code !== 0) throw new Error(`the import of ${blocksFile} ended with ${code}: ${stderr}`)
}
