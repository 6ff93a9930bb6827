/**
 * Reads build information: once from its beginning to its end, to know what is where, and then the parts that are needed.
 * @module
 */
import {
  BUILD_PIECE_BYTES,
  MAX_ABI_FILE_BYTES,
  MAX_BUILD_FILE_BYTES,
  MAX_BUILD_INDEX_BYTES,
  MAX_BUILD_VALUE_BYTES,
} from '../../base/limits/limits.ts'
import type { ArtifactFile, ArtifactFolder } from '../../base/ports/artifactFolder.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { BuildIndex, BuildVisitor, type Place, type ScannedContract } from './buildIndex.ts'
import { JsonScanner } from './jsonScanner.ts'

/** `too long` and `unreadable` say why there is no index. */
export type OpenedBuild = BuildIndex | 'too long' | 'unreadable'

const utf8 = new TextDecoder()

export class BuildLibrary {
  /** By folder, path and time of the files. */
  readonly #indexes = new LruCache<string, BuildIndex>(MAX_BUILD_INDEX_BYTES)
  readonly #yieldToHost: () => Promise<void>

  constructor(yieldToHost: () => Promise<void>) {
    this.#yieldToHost = yieldToHost
  }

  /**
   * @param builds files of the folder, among which the output may be a separate one
   * @param onContract receives each contract with its code; the files are then read even if they are known
   */
  async open(
    folder: ArtifactFolder,
    file: ArtifactFile,
    builds: readonly ArtifactFile[],
    onContract?: (contract: ScannedContract) => void,
  ): Promise<OpenedBuild> {
    const files = filesOf(file, builds)
    const key = `${folder.name}\n${stampOf(file, builds)}`
    const known = onContract === undefined ? this.#indexes.get(key) : undefined
    if (known !== undefined) return known
    if (files.some(({ size }) => size > MAX_BUILD_FILE_BYTES)) return 'too long'
    const index = new BuildIndex()
    for (const each of files) {
      const isRead = await this.#scan(folder, each, new BuildVisitor(index, each.path, onContract))
      if (!isRead) return 'unreadable'
    }
    this.#indexes.set(key, index, index.bytes)
    return index
  }

  async #scan(folder: ArtifactFolder, { path }: ArtifactFile, visitor: BuildVisitor): Promise<boolean> {
    const scanner = new JsonScanner(visitor, MAX_ABI_FILE_BYTES)
    try {
      for (let start = 0; start < MAX_BUILD_FILE_BYTES; start += BUILD_PIECE_BYTES) {
        const bytes = await folder.slice(path, start, start + BUILD_PIECE_BYTES)
        if (bytes === undefined) return false
        scanner.push(bytes)
        if (bytes.length < BUILD_PIECE_BYTES) break
        await this.#yieldToHost()
      }
      scanner.end()
      return true
    } catch (error) {
      if (error instanceof SyntaxError) return false
      throw error
    }
  }
}

/** Hardhat 3 has the compiler's output in a second file. */
function filesOf(file: ArtifactFile, builds: readonly ArtifactFile[]): readonly ArtifactFile[] {
  const outputPath = file.path.replace(/\.json$/, '.output.json')
  const output = builds.find(({ path }) => path === outputPath)
  return output === undefined ? [file] : [file, output]
}

/** Files in which compilations begin. */
export function firstFiles(builds: readonly ArtifactFile[]): readonly ArtifactFile[] {
  const outputs = new Set(builds.map(({ path }) => path.replace(/\.json$/, '.output.json')))
  return builds.filter(({ path }) => !outputs.has(path))
}

/** Changes when one of the files of a compilation changes. */
export function stampOf(file: ArtifactFile, builds: readonly ArtifactFile[]): string {
  return filesOf(file, builds)
    .map(({ path, modifiedMs }) => `${path} ${modifiedMs}`)
    .join(' ')
}

/**
 * Reads a value of a build.
 * @param maxBytes longer values are not read; default: that of a value which is not a whole source
 * @returns undefined when it cannot be read
 */
export async function readPlace(
  folder: ArtifactFolder,
  place: Place | undefined,
  maxBytes: number = MAX_BUILD_VALUE_BYTES,
): Promise<unknown> {
  if (place === undefined || place.end - place.start > maxBytes) return undefined
  const bytes = await folder.slice(place.path, place.start, place.end)
  try {
    return bytes === undefined ? undefined : JSON.parse(utf8.decode(bytes))
  } catch {
    // The file has changed.
    return undefined
  }
}
