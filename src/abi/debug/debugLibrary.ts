/**
 * A debugger's knowledge of the contracts of `--abi`, read when an execution runs their code.
 * @module
 */
import { MAX_DEBUG_TREE_BYTES } from '../../base/limits/limits.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { Artifact } from '../artifact.ts'
import type { ContractNames } from '../contractNames.ts'
import type { SourceLibrary } from '../source/sourceLibrary.ts'
import { DebugBuild } from './debugBuild.ts'
import type { DebugCode, DebugContract, DebugKnowledge } from './debugContract.ts'

/** Memory of a definition in relation to its source (estimate). */
const TREE_FACTOR = 8
const CONTRACT_BYTES = 4_096

export class DebugLibrary {
  readonly #names: ContractNames
  readonly #sources: SourceLibrary
  readonly #contracts = new LruCache<Artifact, DebugContract>(MAX_DEBUG_TREE_BYTES)

  constructor(names: ContractNames, sources: SourceLibrary) {
    this.#names = names
    this.#sources = sources
  }

  /**
   * The contracts as far as they have been read.
   * @param onUnread called for each contract that `load` may find
   */
  knowledge(onUnread: (artifact: Artifact) => void): DebugKnowledge {
    const codes = new Map<string, DebugCode>()
    return {
      codeOf: (code, isCreation) => {
        const artifact = isCreation ? this.#names.created(code) : this.#names.ofCode(code)
        if (artifact === undefined) return undefined
        const contract = this.of(artifact)
        if (contract === undefined) {
          onUnread(artifact)
          return undefined
        }
        const key = `${artifact.path} ${artifact.name} ${isCreation}`
        const known = codes.get(key)
        if (known?.contract === contract) return known
        const made = { contract, map: this.#sources.mapOf(artifact, isCreation, code) }
        codes.set(key, made)
        return made
      },
    }
  }

  /** @returns undefined before `load` */
  of(artifact: Artifact): DebugContract | undefined {
    return this.#contracts.get(artifact)
  }

  /** @returns one line for each new problem of the files */
  async load(artifacts: Iterable<Artifact>): Promise<string[]> {
    const wanted = [...artifacts]
    const problems = await this.#sources.load(wanted)
    for (const artifact of wanted) await this.#load(artifact)
    return problems
  }

  async #load(artifact: Artifact): Promise<void> {
    const found = this.#sources.sourcesOf(artifact)
    const sources = found === 'unread' ? undefined : found
    const files = sources?.files ?? new Map()
    const trees = await this.#sources.treesOf(artifact)
    const build = new DebugBuild({ files, trees: [...trees.values()], settings: sources?.settings })
    const path = artifact.sourceName
    const file = [...(sources?.paths ?? [])].find(([, each]) => each === path)?.[0]
    const contract = build.contract({
      name: artifact.name,
      file,
      storageLayout: sources?.output.storageLayout,
      transientStorageLayout: sources?.output.transientStorageLayout,
    })
    let bytes = CONTRACT_BYTES
    for (const each of files.values()) bytes += TREE_FACTOR * each.bytes
    this.#contracts.set(artifact, contract, Math.min(bytes, MAX_DEBUG_TREE_BYTES))
  }
}
