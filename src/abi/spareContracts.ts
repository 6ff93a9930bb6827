/**
 * Contracts of build information for whose code there is no room in memory. They are read when an account has code of their
 * length.
 * @module
 */
import { MAX_BUILD_ENTRIES, MAX_SPARE_CODE_BYTES } from '../base/limits/limits.ts'
import type { ArtifactFolder } from '../base/ports/artifactFolder.ts'
import { type Artifact, createArtifact } from './artifact.ts'
import { contractKey, type IndexedContract } from './build/buildIndex.ts'
import { readPlace } from './build/buildLibrary.ts'

export interface SpareContract extends IndexedContract {
  readonly folder: ArtifactFolder
  /** File in which the compilation begins. */
  readonly path: string
  /** Of the code without metadata. */
  readonly length: number
}

export class SpareContracts {
  readonly #byLength = new Map<number, SpareContract[]>()
  readonly #wanted = new Set<number>()
  /** Contracts that were read, oldest first. */
  readonly #read = new Map<SpareContract, Artifact>()
  #count = 0
  #bytes = 0

  /** Whether an account has code of a length that was not looked for yet. */
  get isWanted(): boolean {
    return this.#wanted.size > 0
  }

  get artifacts(): readonly Artifact[] {
    return [...this.#read.values()]
  }

  /** @returns false when there are too many */
  add(contract: SpareContract): boolean {
    if (this.#count >= MAX_BUILD_ENTRIES) return false
    this.#count++
    const list = this.#byLength.get(contract.length)
    if (list === undefined) this.#byLength.set(contract.length, [contract])
    else list.push(contract)
    return true
  }

  /** Removes the contracts of a file. */
  forget(folder: ArtifactFolder, path: string): void {
    const isGone = (contract: SpareContract): boolean => contract.folder === folder && contract.path === path
    for (const [length, list] of this.#byLength) {
      const kept = list.filter((contract) => !isGone(contract))
      this.#count -= list.length - kept.length
      if (kept.length === 0) this.#byLength.delete(length)
      else this.#byLength.set(length, kept)
    }
    for (const contract of this.#read.keys()) if (isGone(contract)) this.#drop(contract)
  }

  /** Tells that an unknown code has this length, in bytes without metadata. */
  want(length: number): void {
    if (this.#byLength.get(length)?.some((contract) => !this.#read.has(contract)) === true) this.#wanted.add(length)
  }

  /** Reads the contracts that are wanted. @returns whether there are new ones */
  async readWanted(onRead: (artifact: Artifact, folder: ArtifactFolder) => void): Promise<boolean> {
    let isChanged = false
    for (const length of this.#wanted) {
      this.#wanted.delete(length)
      for (const contract of this.#byLength.get(length) ?? []) {
        const artifact = this.#read.has(contract) ? undefined : await artifactOf(contract)
        if (artifact === undefined) continue
        this.#read.set(contract, artifact)
        this.#bytes += artifact.bytes
        onRead(artifact, contract.folder)
        isChanged = true
      }
    }
    for (const contract of this.#read.keys()) {
      if (this.#bytes <= MAX_SPARE_CODE_BYTES || this.#read.size === 1) break
      this.#drop(contract)
    }
    return isChanged
  }

  #drop(contract: SpareContract): void {
    this.#bytes -= this.#read.get(contract)?.bytes ?? 0
    this.#read.delete(contract)
  }
}

/** @returns undefined when the file has changed */
async function artifactOf({ folder, path, name, sourceName, places }: SpareContract): Promise<Artifact | undefined> {
  const abi = await readPlace(folder, places.abi)
  if (!Array.isArray(abi) || places.abi === undefined) return undefined
  const build = { key: contractKey(sourceName, name), abi: places.abi }
  const [creation, runtime] = [await readPlace(folder, places.creation), await readPlace(folder, places.runtime)]
  return createArtifact({ name, sourceName, path, build, abi, creation, runtime })
}
