/**
 * Details of a contract from its files, read when they are asked for.
 * @module
 */
import { MAX_ABI_DETAILS_BYTES } from '../base/limits/limits.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { AbiLibrary } from './abiLibrary.ts'
import type { Artifact } from './artifact.ts'
import { readPlace } from './build/buildLibrary.ts'
import type { ContractSources, SourceLibrary } from './source/sourceLibrary.ts'

/** All parts are untrusted. */
export interface ContractDetails {
  /** Items of the ABI in JSON. */
  readonly abi: readonly unknown[]
  /** undefined: the files do not lead to the compilation */
  readonly sources: ContractSources | undefined
  /** As the compiler wrote it; undefined: it was not asked for. */
  readonly storageLayout: unknown
}

interface ReadFile {
  readonly abi: readonly unknown[]
  readonly storageLayout: unknown
  readonly bytes: number
}

export class DetailsReader {
  readonly #library: Pick<AbiLibrary, 'placeOf'>
  readonly #sources: SourceLibrary
  readonly #files = new LruCache<Artifact, ReadFile>(MAX_ABI_DETAILS_BYTES)

  constructor(library: Pick<AbiLibrary, 'placeOf'>, sources: SourceLibrary) {
    this.#library = library
    this.#sources = sources
  }

  /** @param warn is called with each new problem of the folders */
  async of(artifact: Artifact, warn: (problem: string) => void): Promise<ContractDetails> {
    const { abi, storageLayout } = await this.#file(artifact)
    for (const problem of await this.#sources.load([artifact])) warn(problem)
    const found = this.#sources.sourcesOf(artifact)
    const sources = found === 'unread' ? undefined : found
    return { abi, sources, storageLayout: sources?.output.storageLayout ?? storageLayout }
  }

  async #file(artifact: Artifact): Promise<ReadFile> {
    const known = this.#files.get(artifact)
    if (known !== undefined) return known
    const folder = this.#library.placeOf(artifact)?.folder
    const { build, path } = artifact
    const abi = build && folder && (await readPlace(folder, build.abi))
    const text = build === undefined ? await folder?.read(path) : JSON.stringify(abi)
    const file = readFile(text ?? '')
    this.#files.set(artifact, file, file.bytes)
    return file
  }
}

function readFile(text: string): ReadFile {
  try {
    const json: unknown = JSON.parse(text)
    const { abi = json, storageLayout } = json as { readonly abi?: unknown; readonly storageLayout?: unknown }
    // The code, which is most of a file, is not kept.
    return { abi: Array.isArray(abi) ? abi : [], storageLayout, bytes: text.length }
  } catch {
    return { abi: [], storageLayout: undefined, bytes: 0 }
  }
}
