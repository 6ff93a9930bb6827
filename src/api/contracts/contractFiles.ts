import { projectPath } from '../../abi/source/sourceLibrary.ts'
import { ContractResolver, type ContractsBackend } from './resolve.ts'

/** The files of a contract as verifiers of sources publish them. */
export interface ContractFiles {
  /** JSON that the compiler wrote. */
  readonly metadata: string
  /** The text of a source. @param name in the metadata @returns undefined when it is not known */
  source(name: string): string | undefined
}

/** @returns undefined when the contract or its metadata are not known */
export async function contractFiles(
  backend: ContractsBackend,
  address: Uint8Array,
): Promise<ContractFiles | undefined> {
  const { contracts, chain } = backend
  await contracts.ready()
  const artifact = (await new ContractResolver(backend, chain.head).at(address))?.artifact
  const details = artifact && (await contracts.details(artifact))
  const { output, files, paths } = details?.sources ?? {}
  if (output?.metadata === undefined) return undefined
  const sources = new Map<string, string>()
  for (const [id, path] of paths ?? []) {
    const file = files?.get(id)
    if (file !== undefined) sources.set(projectPath(path), file.text)
  }
  return { metadata: output.metadata, source: (name) => sources.get(projectPath(name)) }
}
