/**
 * Sources and source maps of the contracts in the folders of `--abi`. Nothing is read before a failure needs it.
 * @module
 */
import {
  MAX_BUILD_FILE_BYTES,
  MAX_BUILD_FILES_TRIED,
  MAX_SOURCE_BYTES,
  MAX_SOURCE_FILE_BYTES,
} from '../../base/limits/limits.ts'
import type { ArtifactFile, ArtifactFolder } from '../../base/ports/artifactFolder.ts'
import { bytesToHexUnprefixed } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { AbiLibrary } from '../abi/abiLibrary.ts'
import type { Artifact } from '../abi/artifact.ts'
import {
  type ArtifactLinks,
  type Build,
  buildPathIn,
  type ContractMaps,
  contractKey,
  readArtifactLinks,
  readBuild,
} from './buildFiles.ts'
import { SourceFile } from './sourceFile.ts'
import { SourceMap } from './sourceMap.ts'

/** The sources of one contract. */
export interface ContractSources {
  readonly maps: ContractMaps
  readonly files: ReadonlyMap<number, SourceFile>
  readonly isOptimised: boolean
}

/** A compilation in memory. */
interface OpenBuild extends Build {
  /** Filled when a contract needs a source that has to be read. */
  readonly files: Map<number, SourceFile>
  bytes: number
}

/** `creation` and `runtime` are the decoded maps. */
interface Loaded extends ContractSources {
  readonly build: OpenBuild
  creation?: SourceMap
  runtime?: SourceMap
}

const utf8 = new TextEncoder()

export class SourceLibrary {
  readonly #library: Pick<AbiLibrary, 'index' | 'placeOf'>
  /** Contracts whose files have been read; `none`: they do not lead to sources. */
  readonly #contracts = new Map<Artifact, Loaded | 'none'>()
  /** By folder, path and time of the file, oldest first. */
  readonly #builds = new Map<string, OpenBuild>()
  readonly #reported = new Set<string>()
  #problems: string[] = []

  constructor(library: Pick<AbiLibrary, 'index' | 'placeOf'>) {
    this.#library = library
  }

  /** @returns `unread` when `load` may find them */
  sourcesOf(artifact: Artifact): ContractSources | 'unread' | undefined {
    const loaded = this.#contracts.get(artifact)
    return loaded === undefined ? 'unread' : loaded === 'none' ? undefined : loaded
  }

  /**
   * @param code that runs
   * @returns undefined unless the sources of the artifact have been loaded
   */
  mapOf(artifact: Artifact, isCreation: boolean, code: Uint8Array): SourceMap | undefined {
    const loaded = this.#contracts.get(artifact)
    if (loaded === undefined || loaded === 'none') return undefined
    const part = isCreation ? 'creation' : 'runtime'
    const text = loaded.maps[part]
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

  async #read(artifact: Artifact): Promise<Loaded | undefined> {
    const place = this.#library.placeOf(artifact)
    const text = await place?.folder.read(artifact.path)
    if (place === undefined || text === undefined) return undefined
    const { folder, builds } = place
    const links = readArtifactLinks(text)
    const named = await this.#namedBuild(folder, artifact.path, links)
    if (named !== undefined) return this.#ofHardhat(folder, builds, named, links)
    return links.sourceId === undefined ? undefined : this.#ofFoundry(folder, builds, links)
  }

  /** Hardhat names the build of each contract. */
  async #namedBuild(folder: ArtifactFolder, path: string, links: ArtifactLinks): Promise<string | undefined> {
    if (links.buildInfoId !== undefined) return `build-info/${links.buildInfoId}.json`
    const debugPath = path.replace(/\.json$/, '.dbg.json')
    const debugText = await folder.read(debugPath)
    return debugText === undefined ? undefined : buildPathIn(debugText, debugPath)
  }

  async #ofHardhat(
    folder: ArtifactFolder,
    builds: readonly ArtifactFile[],
    path: string,
    { sourceName = '', contractName = '' }: ArtifactLinks,
  ): Promise<Loaded | undefined> {
    const file = builds.find((each) => each.path === path)
    if (file === undefined) {
      this.#report(`${folder.name} has no ${path}: failures in its contracts are shown without lines`)
      return undefined
    }
    const build = await this.#open(folder, file, builds)
    const maps = build?.contracts.get(contractKey(sourceName, contractName))
    return build && maps && { maps, files: build.files, isOptimised: build.isOptimised, build }
  }

  /** Foundry names no build: it is the newest one in which the sources of the contract have the same numbers. */
  async #ofFoundry(
    folder: ArtifactFolder,
    builds: readonly ArtifactFile[],
    links: ArtifactLinks,
  ): Promise<Loaded | undefined> {
    const { maps, sourceId, sourceName, sourceHashes, isOptimised } = links
    const newest = [...builds].sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, MAX_BUILD_FILES_TRIED)
    for (const file of newest) {
      const build = await this.#open(folder, file, builds)
      if (build === undefined || sourceName === undefined) continue
      if (build.sources.get(sourceId ?? -1)?.path !== sourceName) continue
      const ids = new Map([...build.sources].map(([id, { path }]) => [path, id]))
      if ([...sourceHashes.keys()].some((path) => !ids.has(path))) continue
      for (const [path, hash] of sourceHashes) await this.#readSource(folder, build, ids.get(path) ?? -1, hash)
      return { maps, files: build.files, isOptimised, build }
    }
    return undefined
  }

  /** @param hash undefined: unknown */
  async #readSource(folder: ArtifactFolder, build: OpenBuild, id: number, hash: string | undefined): Promise<void> {
    const path = build.sources.get(id)?.path
    if (path === undefined || build.files.has(id)) return
    const text = await folder.source(path, MAX_SOURCE_FILE_BYTES)
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
    const key = `${folder.name}\n${file.path}\n${file.modifiedMs}`
    const known = this.#builds.get(key)
    if (known !== undefined) return known
    const outputPath = file.path.replace(/\.json$/, '.output.json')
    const output = builds.find(({ path }) => path === outputPath)
    const texts: (string | undefined)[] = []
    for (const each of [file, output]) {
      if (each !== undefined && each.size > MAX_BUILD_FILE_BYTES) {
        this.#report(`${folder.name}/${each.path} is too long: failures in its contracts are shown without lines`)
        return undefined
      }
      texts.push(each && (await folder.read(each.path)))
    }
    const build = this.#parse(`${folder.name}/${file.path}`, texts[0], texts[1])
    if (build !== undefined) this.#builds.set(key, build)
    return build
  }

  #parse(name: string, text: string | undefined, output: string | undefined): OpenBuild | undefined {
    try {
      const build: OpenBuild = { ...readBuild(text ?? '', output), files: new Map(), bytes: 0 }
      for (const { creation = '', runtime = '' } of build.contracts.values()) {
        build.bytes += creation.length + runtime.length
      }
      for (const [id, { path, content }] of build.sources) {
        if (content !== undefined) add(build, id, path, utf8.encode(content))
      }
      if (build.bytes <= MAX_SOURCE_BYTES) return build
      this.#report(`${name} has too many sources: failures in its contracts are shown without lines`)
    } catch {
      this.#report(`${name} cannot be read: failures in its contracts are shown without lines`)
    }
    return undefined
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

function add(build: OpenBuild, id: number, path: string, text: Uint8Array): void {
  const file = new SourceFile(path, text)
  build.files.set(id, file)
  build.bytes += file.bytes
}
