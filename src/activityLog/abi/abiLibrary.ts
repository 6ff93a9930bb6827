/**
 * The contracts in the folders of `--abi`. Files that appear or change while the node runs are read when a contract is
 * not known.
 * @module
 */
import { MAX_ABI_FILE_BYTES, MAX_ABI_FILES, MAX_ABI_INDEX_BYTES } from '../../base/limits/limits.ts'
import type { ArtifactFile, ArtifactFolder } from '../../base/ports/artifactFolder.ts'
import type { Clock } from '../../base/ports/host.ts'
import { AbiIndex } from './abiIndex.ts'
import { type Artifact, readArtifact } from './artifact.ts'

export interface AbiLibraryOptions {
  readonly folders: readonly ArtifactFolder[]
  readonly clock: Pick<Clock, 'monotonic'>
  /** Yields to other work between files. */
  readonly yieldToHost: () => Promise<void>
}

/** Where an artifact comes from. */
export interface ArtifactPlace {
  readonly folder: ArtifactFolder
  /** Files with build information in the folder. */
  readonly builds: readonly ArtifactFile[]
}

interface KnownFile {
  readonly modifiedMs: number
  readonly artifact: Artifact | undefined
}

/** Pause between two searches for changes; doubled while nothing changes. */
const FIRST_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 60_000
/** Minimum pause before a search when an unknown contract is deployed. */
const DEPLOYMENT_PAUSE_MS = 250
const FILES_PER_TURN = 8
/** Build information describes compilations rather than a contract. */
const BUILD_FILE = /(?:^|\/)build-info\//

export class AbiLibrary {
  readonly #options: AbiLibraryOptions
  readonly #files = new Map<string, KnownFile>()
  readonly #reported = new Set<string>()
  readonly #folders = new WeakMap<Artifact, ArtifactFolder>()
  readonly #builds = new Map<ArtifactFolder, readonly ArtifactFile[]>()
  #index = new AbiIndex([])
  #bytes = 0
  #pauseMs = FIRST_PAUSE_MS
  #endedMs = Number.NEGATIVE_INFINITY
  #reading: Promise<string[]> | undefined

  constructor(options: AbiLibraryOptions) {
    this.#options = options
  }

  /** Replaced when files have changed. */
  get index(): AbiIndex {
    return this.#index
  }

  /** @returns undefined for an artifact of another library */
  placeOf(artifact: Artifact): ArtifactPlace | undefined {
    const folder = this.#folders.get(artifact)
    return folder && { folder, builds: this.#builds.get(folder) ?? [] }
  }

  /**
   * Whether it is time to look for changed files.
   * @param isNew whether the unknown contract is being deployed, so that it was probably compiled just now
   */
  isDue(isNew: boolean): boolean {
    const sinceMs = this.#options.clock.monotonic() - this.#endedMs
    return this.#reading !== undefined || sinceMs >= (isNew ? DEPLOYMENT_PAUSE_MS : this.#pauseMs)
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
    const problems: string[] = []
    const broken: string[] = []
    let isChanged = this.#forgetMissing(folder, files)
    let omitted = 0
    this.#builds.set(
      folder,
      files.filter(({ path }) => BUILD_FILE.test(path)),
    )
    for (const [i, file] of files.slice(0, MAX_ABI_FILES).entries()) {
      if (BUILD_FILE.test(file.path)) continue
      const key = keyOf(folder, file)
      if (this.#files.get(key)?.modifiedMs === file.modifiedMs) continue
      if (i % FILES_PER_TURN === 0) await this.#options.yieldToHost()
      const { artifact, reason } = await this.#readFile(folder, file)
      if (reason !== undefined) broken.push(`${file.path}: ${reason}`)
      this.#bytes -= this.#files.get(key)?.artifact?.bytes ?? 0
      const fits = artifact !== undefined && this.#bytes + artifact.bytes <= MAX_ABI_INDEX_BYTES
      if (artifact !== undefined && !fits) omitted++
      if (fits) this.#bytes += artifact.bytes
      if (fits) this.#folders.set(artifact, folder)
      this.#files.set(key, { modifiedMs: file.modifiedMs, artifact: fits ? artifact : undefined })
      isChanged = true
    }
    if (isChanged) this.#index = new AbiIndex([...this.#files.values()].flatMap(({ artifact }) => artifact ?? []))
    if (files.length > MAX_ABI_FILES)
      problems.push(`${folder.name} has more than ${MAX_ABI_FILES} files; the rest is ignored`)
    if (omitted > 0) problems.push(`${folder.name} has too much code: ${omitted} contracts are ignored`)
    if (broken.length > 0) problems.push(brokenLine(folder, broken))
    return problems
  }

  async #readFile(
    folder: ArtifactFolder,
    { path, size }: ArtifactFile,
  ): Promise<{ readonly artifact?: Artifact; readonly reason?: string }> {
    // A longer file is build information rather than a contract.
    if (size > MAX_ABI_FILE_BYTES) return {}
    const text = await folder.read(path)
    if (text === undefined) return { reason: 'it cannot be read' }
    const outcome = readArtifact(text, path)
    switch (outcome.kind) {
      case 'artifact':
        return { artifact: outcome.artifact }
      case 'broken':
        return { reason: outcome.reason }
      case 'other':
        return {}
    }
  }

  #forgetMissing(folder: ArtifactFolder, files: readonly ArtifactFile[]): boolean {
    const present = new Set(files.map((file) => keyOf(folder, file)))
    const prefix = keyOf(folder, { path: '' })
    let isChanged = false
    for (const [key, { artifact }] of this.#files) {
      if (!key.startsWith(prefix) || present.has(key)) continue
      this.#bytes -= artifact?.bytes ?? 0
      this.#files.delete(key)
      isChanged = true
    }
    return isChanged
  }
}

function keyOf({ name }: ArtifactFolder, { path }: Pick<ArtifactFile, 'path'>): string {
  return `${name}\n${path}`
}

function brokenLine({ name }: ArtifactFolder, broken: readonly string[]): string {
  const rest = broken.length === 1 ? '' : `, and ${broken.length - 1} more`
  return `${name} has ${broken.length === 1 ? 'a file' : `${broken.length} files`} that cannot be used: ${broken[0]}${rest}`
}
