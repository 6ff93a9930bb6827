/**
 * Sources and source maps of the contracts in the folders of `--abi`. Nothing is read before something needs it.
 * @module
 */
import {
  MAX_BUILD_FILES_TRIED,
  MAX_SOURCE_BYTES,
  MAX_SOURCE_FILE_BYTES,
  MAX_SYNTAX_TREE_BYTES,
} from '../../base/limits/limits.ts'
import type { ArtifactFile, ArtifactFolder } from '../../base/ports/artifactFolder.ts'
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { AbiLibrary } from '../abiLibrary.ts'
import type { Artifact } from '../artifact.ts'
import {
  type BuildIndex,
  type Compilation,
  contractKey,
  type IndexedContract,
  objectOf,
  type Place,
} from '../build/buildIndex.ts'
import { firstFiles, readPlace, stampOf } from '../build/buildLibrary.ts'
import { type ArtifactLinks, buildPathIn, type ContractOutput, readArtifactLinks } from './buildFiles.ts'
import { SourceFile } from './sourceFile.ts'
import { SourceMap } from './sourceMap.ts'

/** The sources of one contract. */
export interface ContractSources extends Compilation {
  readonly output: ContractOutput
  /** By the number in source maps. */
  readonly files: ReadonlyMap<number, SourceFile>
  /** Paths of the contract's sources, also of those that cannot be read. */
  readonly paths: ReadonlyMap<number, string>
}

/** A compilation of which parts are in memory. */
interface OpenBuild {
  readonly folder: ArtifactFolder
  readonly index: BuildIndex
  /** Filled when a contract needs a source. */
  readonly files: Map<number, SourceFile>
  bytes: number
}

/** `creation` and `runtime` are the decoded maps. */
interface Loaded extends ContractSources {
  readonly build: OpenBuild
  creation?: SourceMap
  runtime?: SourceMap
  /** Of an artifact that has it itself. */
  readonly tree: unknown
}

type Library = Pick<AbiLibrary, 'index' | 'placeOf' | 'builds'>

/** Prefix of a project's own sources in Hardhat 3. */
const PROJECT_PREFIX = /^project\//
const utf8 = new TextEncoder()

export class SourceLibrary {
  readonly #library: Library
  /** Contracts whose files have been read; `none`: they do not lead to sources. */
  readonly #contracts = new Map<Artifact, Loaded | 'none'>()
  /** By folder, path and time of the file, oldest first. */
  readonly #builds = new Map<string, OpenBuild>()
  readonly #reported = new Set<string>()
  #problems: string[] = []

  constructor(library: Library) {
    this.#library = library
  }

  /** @returns `unread` when `load` may find them */
  sourcesOf(artifact: Artifact): ContractSources | 'unread' | undefined {
    const loaded = this.#contracts.get(artifact)
    return loaded === undefined ? 'unread' : loaded === 'none' ? undefined : loaded
  }

  /** Whether the files of an artifact may lead to sources; an answer without reading them. */
  mayHaveSources(artifact: Artifact): boolean {
    const loaded = this.#contracts.get(artifact)
    if (loaded !== undefined) return loaded !== 'none'
    return (this.#library.placeOf(artifact)?.builds.length ?? 0) > 0
  }

  /**
   * @param code that runs
   * @returns undefined unless the sources of the artifact have been loaded
   */
  mapOf(artifact: Artifact, isCreation: boolean, code: Uint8Array): SourceMap | undefined {
    const loaded = this.#contracts.get(artifact)
    if (loaded === undefined || loaded === 'none') return undefined
    const part = isCreation ? 'creation' : 'runtime'
    const text = loaded.output[part]
    if (text === undefined) return undefined
    const known = loaded[part]
    if (known !== undefined) return known
    const map = new SourceMap(text, code)
    loaded[part] = map
    loaded.build.bytes += map.bytes
    return map
  }

  /**
   * Reads the sources of contracts, if their files lead to them.
   * @returns one line for each new problem
   */
  async load(artifacts: Iterable<Artifact>): Promise<string[]> {
    const present = new Set(this.#library.index.artifacts)
    for (const artifact of this.#contracts.keys()) if (!present.has(artifact)) this.#contracts.delete(artifact)
    for (const artifact of artifacts) {
      if (this.#contracts.has(artifact)) continue
      this.#contracts.set(artifact, (await this.#read(artifact).catch(() => undefined)) ?? 'none')
      this.#dropOldest()
    }
    return this.#problems.splice(0)
  }

  /**
   * Syntax trees of a contract's sources, as the compiler wrote them. They are not kept.
   * @returns by the number in source maps; empty unless the sources have been loaded
   */
  async treesOf(artifact: Artifact): Promise<ReadonlyMap<number, unknown>> {
    const loaded = this.#contracts.get(artifact)
    const trees = new Map<number, unknown>()
    if (loaded === undefined || loaded === 'none') return trees
    const { folder, index } = loaded.build
    let left = MAX_SYNTAX_TREE_BYTES
    for (const { id = -1, tree } of index.sources.values()) {
      if (tree === undefined || !loaded.paths.has(id)) continue
      const json = await readPlace(folder, tree, left)
      left -= json === undefined ? 0 : tree.end - tree.start
      if (json !== undefined) trees.set(id, json)
    }
    const own = objectOf(loaded.tree)['id'] === undefined ? undefined : [...loaded.paths.keys()][0]
    if (own !== undefined && !trees.has(own)) trees.set(own, loaded.tree)
    return trees
  }

  async #read(artifact: Artifact): Promise<Loaded | undefined> {
    const place = this.#library.placeOf(artifact)
    if (place === undefined) return undefined
    const { folder, builds } = place
    if (artifact.build !== undefined) return this.#ofBuild(folder, builds, artifact.path, artifact.build.key)
    const text = await folder.read(artifact.path)
    if (text === undefined) return undefined
    const links = readArtifactLinks(text)
    const named = await this.#namedBuild(folder, artifact.path, links)
    const { sourceName = '', contractName = '' } = links
    if (named !== undefined) return this.#ofBuild(folder, builds, named, contractKey(sourceName, contractName))
    return links.sourceId === undefined ? undefined : this.#ofFoundry(folder, builds, links)
  }

  /** Hardhat names the build of each contract. */
  async #namedBuild(folder: ArtifactFolder, path: string, links: ArtifactLinks): Promise<string | undefined> {
    if (links.buildInfoId !== undefined) return `build-info/${links.buildInfoId}.json`
    const debugPath = path.replace(/\.json$/, '.dbg.json')
    const debugText = await folder.read(debugPath)
    return debugText === undefined ? undefined : buildPathIn(debugText, debugPath)
  }

  async #ofBuild(
    folder: ArtifactFolder,
    builds: readonly ArtifactFile[],
    path: string,
    key: string,
  ): Promise<Loaded | undefined> {
    const file = builds.find((each) => each.path === path)
    if (file === undefined) {
      this.#report(`${folder.name} has no ${path}: failures in its contracts are shown without lines`)
      return undefined
    }
    const build = await this.#open(folder, file, builds)
    const contract = build?.index.contracts.get(key)
    if (build === undefined || contract === undefined) return undefined
    const paths = await this.#readContents(build, contract)
    const output = await outputOf(folder, contract)
    build.bytes += (output.creation?.length ?? 0) + (output.runtime?.length ?? 0)
    return { output, ...build.index.compilation, files: build.files, paths, build, tree: undefined }
  }

  /**
   * Reads the sources that the metadata of a contract name; without metadata, all of the compilation.
   * @returns their paths
   */
  async #readContents(build: OpenBuild, { places }: IndexedContract): Promise<ReadonlyMap<number, string>> {
    const { folder, index, files } = build
    const text = await readPlace(folder, places.metadata)
    const named = new Set(sourcesIn(text).map(projectPath))
    const paths = new Map<number, string>()
    for (const [name, { id, content }] of index.sources) {
      const path = projectPath(name)
      if (id === undefined || (named.size > 0 && !named.has(path))) continue
      paths.set(id, path)
      if (files.has(id)) continue
      const text = await contentOf(folder, content)
      if (text !== undefined && build.bytes + text.length <= MAX_SOURCE_BYTES) add(build, id, path, text)
    }
    return paths
  }

  /** Foundry names no build: it is the newest one in which the sources of the contract have the same numbers. */
  async #ofFoundry(
    folder: ArtifactFolder,
    builds: readonly ArtifactFile[],
    links: ArtifactLinks,
  ): Promise<Loaded | undefined> {
    const { output, sourceId, sourceName, sourceHashes, tree, compiler, language, settings, isOptimised, viaIR } = links
    const newest = [...firstFiles(builds)].sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, MAX_BUILD_FILES_TRIED)
    for (const file of newest) {
      const build = await this.#open(folder, file, builds)
      if (build === undefined || sourceName === undefined) continue
      const { sources } = build.index
      if (sources.get(sourceName)?.id !== sourceId) continue
      if ([...sourceHashes.keys()].some((path) => sources.get(path)?.id === undefined)) continue
      const paths = new Map([[sourceId ?? -1, sourceName]])
      for (const [path, hash] of sourceHashes) {
        const id = sources.get(path)?.id ?? -1
        paths.set(id, path)
        await this.#readSource(build, id, path, hash)
      }
      const compilation = { compiler, language, settings, isOptimised, viaIR }
      return { output, ...compilation, files: build.files, paths, build, tree }
    }
    return undefined
  }

  /** @param hash undefined: unknown */
  async #readSource(build: OpenBuild, id: number, path: string, hash: string | undefined): Promise<void> {
    if (build.files.has(id)) return
    const { folder, index } = build
    const text =
      (await folder.source(path, MAX_SOURCE_FILE_BYTES)) ?? (await contentOf(folder, index.sources.get(path)?.content))
    if (text === undefined) {
      this.#report(`${path} cannot be read: its lines are missing in stack traces`)
    } else if (hash !== undefined && bytesToHexUnprefixed(keccak256(text)) !== hash) {
      this.#report(`${path} is not as it was compiled: its lines are missing in stack traces`)
    } else add(build, id, path, text)
  }

  async #open(
    folder: ArtifactFolder,
    file: ArtifactFile,
    builds: readonly ArtifactFile[],
  ): Promise<OpenBuild | undefined> {
    const key = `${folder.name}\n${stampOf(file, builds)}`
    const known = this.#builds.get(key)
    if (known !== undefined) return known
    const index = await this.#library.builds.open(folder, file, builds)
    const name = `${folder.name}/${file.path}`
    if (index === 'too long' || index === 'unreadable') {
      const reason = index === 'too long' ? 'is too long' : 'cannot be read'
      this.#report(`${name} ${reason}: failures in its contracts are shown without lines`)
      return undefined
    }
    const build = { folder, index, files: new Map(), bytes: 0 }
    this.#builds.set(key, build)
    return build
  }

  #dropOldest(): void {
    let bytes = 0
    for (const build of this.#builds.values()) bytes += build.bytes
    for (const [key, build] of this.#builds) {
      if (bytes <= MAX_SOURCE_BYTES || this.#builds.size === 1) return
      bytes -= build.bytes
      this.#builds.delete(key)
      for (const [artifact, loaded] of this.#contracts) {
        if (loaded !== 'none' && loaded.build === build) this.#contracts.delete(artifact)
      }
    }
  }

  #report(problem: string): void {
    if (this.#reported.has(problem) || this.#reported.size >= MAX_BUILD_FILES_TRIED) return
    this.#reported.add(problem)
    this.#problems.push(problem)
  }
}

async function contentOf(folder: ArtifactFolder, place: Place | undefined): Promise<Uint8Array | undefined> {
  const text = await readPlace(folder, place, MAX_SOURCE_FILE_BYTES)
  return typeof text === 'string' ? utf8.encode(text) : undefined
}

async function outputOf(folder: ArtifactFolder, { places }: IndexedContract): Promise<ContractOutput> {
  const metadata = await readPlace(folder, places.metadata)
  const [creation, runtime] = [
    await readPlace(folder, places.bytecode),
    await readPlace(folder, places.deployedBytecode),
  ]
  return {
    creation: typeof creation === 'string' && creation !== '' ? creation : undefined,
    runtime: typeof runtime === 'string' && runtime !== '' ? runtime : undefined,
    storageLayout: await readPlace(folder, places.storageLayout),
    transientStorageLayout: await readPlace(folder, places.transientStorageLayout),
    metadata: typeof metadata === 'string' ? metadata : undefined,
  }
}

/** The name of a source without the prefix of Hardhat 3. */
export function projectPath(name: string): string {
  return name.replace(PROJECT_PREFIX, '')
}

/** @param metadata of a contract: JSON in a text */
function sourcesIn(metadata: unknown): readonly string[] {
  try {
    return typeof metadata === 'string' ? Object.keys(objectOf(objectOf(JSON.parse(metadata))['sources'])) : []
  } catch {
    return []
  }
}

function add(build: OpenBuild, id: number, path: string, text: Uint8Array): void {
  const file = new SourceFile(path, text)
  build.files.set(id, file)
  build.bytes += file.bytes
}
