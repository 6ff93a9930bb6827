/**
 * The contracts in the folders of `--abi`. Files that appear or change while the node runs are read when a contract is
 * not known.
 * @module
 */
import {
  MAX_ABI_FILE_BYTES,
  MAX_ABI_FILES,
  MAX_ABI_INDEX_BYTES,
  MAX_BUILD_FILE_BYTES,
  MAX_BUILD_FILES_TRIED,
} from '../base/limits/limits.ts'
import type { ArtifactFile, ArtifactFolder } from '../base/ports/artifactFolder.ts'
import type { Clock } from '../base/ports/host.ts'
import { AbiIndex } from './abiIndex.ts'
import { type Artifact, createArtifact, readArtifact } from './artifact.ts'
import { contractKey, type IndexedContract, type ScannedContract } from './build/buildIndex.ts'
import { BuildLibrary, firstFiles, stampOf } from './build/buildLibrary.ts'
import { SpareContracts } from './spareContracts.ts'

export interface AbiLibraryOptions {
  readonly folders: readonly ArtifactFolder[]
  readonly clock: Pick<Clock, 'monotonic'>
  /** Yields to other work between files. */
  readonly yieldToHost: () => Promise<void>
  /** Memory of the contracts that are always in the index (estimate). Default: MAX_ABI_INDEX_BYTES. */
  readonly maxIndexBytes?: number
}

/** Where an artifact comes from. */
export interface ArtifactPlace {
  readonly folder: ArtifactFolder
  /** Files with build information in the folder. */
  readonly builds: readonly ArtifactFile[]
}

interface KnownFile {
  /** Changes with the file. */
  readonly stamp: string
  /** Those of a build, or one or none. */
  readonly artifacts: readonly Artifact[]
  readonly kind: 'artifact' | 'build' | 'unread build'
}

/** Contracts and faults found in the files of one folder. */
interface Reading {
  readonly folder: ArtifactFolder
  /** Faults of files. */
  readonly broken: string[]
  isChanged: boolean
  /** Contracts that had no room. */
  omitted: number
}

/** Pause between two searches for changes; doubled while nothing changes. */
const FIRST_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 60_000
/** Minimum pause before a search when an unknown contract is deployed. */
const DEPLOYMENT_PAUSE_MS = 250
const FILES_PER_TURN = 8
const MIB = 2 ** 20
/** Build information describes compilations rather than a contract. */
const BUILD_FILE = /(?:^|\/)build-info\//
/** Members of build information in other folders. */
const BUILD_MEMBER = /"(?:contracts|sources|source_id_to_path)"\s*:/

export class AbiLibrary {
  readonly builds: BuildLibrary
  readonly #options: AbiLibraryOptions
  readonly #maxBytes: number
  readonly #files = new Map<string, KnownFile>()
  readonly #reported = new Set<string>()
  readonly #spare = new SpareContracts()
  readonly #folders = new WeakMap<Artifact, ArtifactFolder>()
  readonly #buildFiles = new Map<ArtifactFolder, readonly ArtifactFile[]>()
  #index = new AbiIndex([])
  #bytes = 0
  #pauseMs = FIRST_PAUSE_MS
  #endedMs = Number.NEGATIVE_INFINITY
  #reading: Promise<string[]> | undefined

  constructor(options: AbiLibraryOptions) {
    this.#options = options
    this.#maxBytes = options.maxIndexBytes ?? MAX_ABI_INDEX_BYTES
    this.builds = new BuildLibrary(options.yieldToHost)
  }

  /** Replaced when files have changed. */
  get index(): AbiIndex {
    return this.#index
  }

  /** Whether the folders have been read. */
  get isRead(): boolean {
    return this.#endedMs > Number.NEGATIVE_INFINITY
  }

  /** @returns undefined for an artifact of another library */
  placeOf(artifact: Artifact): ArtifactPlace | undefined {
    const folder = this.#folders.get(artifact)
    return folder && { folder, builds: this.#buildFiles.get(folder) ?? [] }
  }

  /**
   * Whether it is time to look for changed files.
   * @param isNew whether the unknown contract is being deployed, so that it was probably compiled just now
   */
  isDue(isNew: boolean): boolean {
    const sinceMs = this.#options.clock.monotonic() - this.#endedMs
    return (
      this.#reading !== undefined || this.#spare.isWanted || sinceMs >= (isNew ? DEPLOYMENT_PAUSE_MS : this.#pauseMs)
    )
  }

  /** Tells that the index has no contract for a code. @param length of the code without metadata */
  lacks(length: number): void {
    this.#spare.want(length)
  }

  /**
   * Reads new and changed files.
   * @returns one line for each new problem
   */
  refresh(): Promise<string[]> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined
      this.#endedMs = this.#options.clock.monotonic()
    })
    return this.#reading
  }

  async #refresh(): Promise<string[]> {
    const before = this.#index
    const problems: string[] = []
    const hasSpare = await this.#spare.readWanted((artifact, folder) => this.#folders.set(artifact, folder))
    if (hasSpare) this.#index = this.#newIndex()
    for (const folder of this.#options.folders) problems.push(...(await this.#readFolder(folder)))
    this.#pauseMs = this.#index === before ? Math.min(2 * this.#pauseMs, MAX_PAUSE_MS) : FIRST_PAUSE_MS
    return problems.filter((problem) => {
      const isNew = !this.#reported.has(problem)
      this.#reported.add(problem)
      return isNew && this.#reported.size <= MAX_ABI_FILES
    })
  }

  async #readFolder(folder: ArtifactFolder): Promise<string[]> {
    const files = await folder.files(MAX_ABI_FILES + 1).catch(() => undefined)
    if (files === undefined) return [`the ABI folder ${folder.name} cannot be read`]
    const reading: Reading = { folder, broken: [], isChanged: this.#forgetMissing(folder, files), omitted: 0 }
    for (const [i, file] of files.slice(0, MAX_ABI_FILES).entries()) {
      if (isLongOrBuild(file)) continue
      if (this.#files.get(keyOf(folder, file))?.stamp === stampOf(file, [])) continue
      if (i % FILES_PER_TURN === 0) await this.#options.yieldToHost()
      await this.#readFile(reading, file)
    }
    await this.#readBuilds(reading, files)
    if (reading.isChanged) this.#index = this.#newIndex()
    const problems: string[] = []
    if (files.length > MAX_ABI_FILES)
      problems.push(`${folder.name} has more than ${MAX_ABI_FILES} files; the rest is ignored`)
    if (reading.omitted > 0) problems.push(`${folder.name} has too much code: ${reading.omitted} contracts are ignored`)
    if (reading.broken.length > 0) problems.push(brokenLine(folder, reading.broken))
    return problems
  }

  #newIndex(): AbiIndex {
    const artifacts = [...this.#files.values()].flatMap((file) => file.artifacts)
    return new AbiIndex([...artifacts, ...this.#spare.artifacts])
  }

  async #readFile(reading: Reading, file: ArtifactFile): Promise<void> {
    const text = await reading.folder.read(file.path)
    const outcome = text === undefined ? undefined : readArtifact(text, file.path)
    if (outcome === undefined) reading.broken.push(`${file.path}: it cannot be read`)
    if (outcome?.kind === 'broken') reading.broken.push(`${file.path}: ${outcome.reason}`)
    const isBuild = outcome?.kind === 'other' && BUILD_MEMBER.test(text ?? '')
    const kind = isBuild ? 'unread build' : 'artifact'
    const artifacts = outcome?.kind === 'artifact' ? [outcome.artifact] : []
    this.#keep(reading, file, { stamp: stampOf(file, []), artifacts, kind })
  }

  /** Build information names contracts where no artifact has code. */
  async #readBuilds(reading: Reading, files: readonly ArtifactFile[]): Promise<void> {
    const { folder } = reading
    const known = (file: ArtifactFile): KnownFile | undefined => this.#files.get(keyOf(folder, file))
    const builds = files.filter((file) => isLongOrBuild(file) || (known(file)?.kind ?? 'artifact') !== 'artifact')
    this.#buildFiles.set(folder, builds)
    const hasCode = files.some((file) => known(file)?.artifacts.some(isOfArtifactFile) === true)
    const newest = [...firstFiles(builds)].sort((a, b) => b.modifiedMs - a.modifiedMs).slice(0, MAX_BUILD_FILES_TRIED)
    const ids = new Set<string>()
    for (const file of newest) {
      const stamp = stampOf(file, builds)
      const before = known(file)
      if (hasCode) {
        if ((before?.artifacts.length ?? 0) > 0)
          this.#keep(reading, file, { stamp, artifacts: [], kind: 'unread build' })
      } else if (before?.kind !== 'build' || before.stamp !== stamp) {
        const artifacts = await this.#contractsOf(reading, file, builds, ids)
        this.#keep(reading, file, { stamp, artifacts, kind: 'build' })
      }
      for (const { runtime } of known(file)?.artifacts ?? []) if (runtime !== undefined) ids.add(runtime.id)
    }
  }

  /** @param ids of contracts that a newer build has */
  async #contractsOf(
    reading: Reading,
    file: ArtifactFile,
    builds: readonly ArtifactFile[],
    ids: ReadonlySet<string>,
  ): Promise<readonly Artifact[]> {
    const { folder, broken } = reading
    const artifacts: Artifact[] = []
    let bytes = this.#bytes
    this.#spare.forget(folder, file.path)
    const opened = await this.builds.open(folder, file, builds, (contract) => {
      const artifact = builtArtifact(contract, file.path)
      if (artifact === undefined || ids.has(artifact.runtime?.id ?? '')) return
      if (bytes + artifact.bytes <= this.#maxBytes) {
        bytes += artifact.bytes
        artifacts.push(artifact)
      } else if (artifact.runtime !== undefined) {
        const spare = { ...spareOf(contract), folder, path: file.path, length: artifact.runtime.length }
        if (!this.#spare.add(spare)) reading.omitted++
      }
    })
    if (opened === 'too long') broken.push(`${file.path}: it is longer than ${MAX_BUILD_FILE_BYTES / MIB} MiB`)
    if (opened === 'unreadable') broken.push(`${file.path}: it is not valid JSON`)
    return opened === 'too long' || opened === 'unreadable' ? [] : artifacts
  }

  #keep(reading: Reading, file: ArtifactFile, { stamp, artifacts, kind }: KnownFile): void {
    const key = keyOf(reading.folder, file)
    for (const { bytes } of this.#files.get(key)?.artifacts ?? []) this.#bytes -= bytes
    const kept = artifacts.filter((artifact) => {
      const fits = this.#bytes + artifact.bytes <= this.#maxBytes
      if (fits) this.#bytes += artifact.bytes
      else reading.omitted++
      return fits
    })
    for (const artifact of kept) this.#folders.set(artifact, reading.folder)
    this.#files.set(key, { stamp, artifacts: kept, kind })
    reading.isChanged = true
  }

  #forgetMissing(folder: ArtifactFolder, files: readonly ArtifactFile[]): boolean {
    const present = new Set(files.map((file) => keyOf(folder, file)))
    const prefix = keyOf(folder, { path: '' })
    let isChanged = false
    for (const [key, { artifacts }] of this.#files) {
      if (!key.startsWith(prefix) || present.has(key)) continue
      this.#spare.forget(folder, key.slice(prefix.length))
      for (const { bytes } of artifacts) this.#bytes -= bytes
      this.#files.delete(key)
      isChanged = true
    }
    return isChanged
  }
}

function isLongOrBuild({ path, size }: ArtifactFile): boolean {
  return size > MAX_ABI_FILE_BYTES || BUILD_FILE.test(path)
}

function isOfArtifactFile({ build, runtime }: Artifact): boolean {
  return build === undefined && runtime !== undefined
}

/** @returns undefined for a contract without an ABI */
function builtArtifact(contract: ScannedContract, path: string): Artifact | undefined {
  const { name, sourceName, places } = contract
  const abi = parsed(contract.abi)
  if (!Array.isArray(abi) || places.abi === undefined) return undefined
  const build = { key: contractKey(sourceName, name), abi: places.abi }
  const { creation, runtime } = contract
  return createArtifact({ name, sourceName, path, build, abi, creation: parsed(creation), runtime: parsed(runtime) })
}

/** Without the texts. */
function spareOf({ name, sourceName, places }: ScannedContract): IndexedContract {
  return { name, sourceName, places }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function keyOf({ name }: ArtifactFolder, { path }: Pick<ArtifactFile, 'path'>): string {
  return `${name}\n${path}`
}

function brokenLine({ name }: ArtifactFolder, broken: readonly string[]): string {
  const rest = broken.length === 1 ? '' : `, and ${broken.length - 1} more`
  return `${name} has ${broken.length === 1 ? 'a file' : `${broken.length} files`} that cannot be used: ${broken[0]}${rest}`
}
