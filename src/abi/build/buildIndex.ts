/**
 * Places of everything in build information: the compiler's input and output, which Hardhat and Foundry store in one file or
 * in two.
 * @module
 */
import { MAX_BUILD_ENTRIES } from '../../base/limits/limits.ts'
import type { ByteRange, JsonVisitor, Wanted } from './jsonScanner.ts'

/** A value in a file of a folder. */
export interface Place extends ByteRange {
  readonly path: string
}

/** How sources were compiled. */
export interface Compilation {
  /** Version of the compiler. */
  readonly compiler: string | undefined
  readonly language: string | undefined
  /** Settings in the compiler's input; undefined: not known */
  readonly settings: unknown
  /** Whether the compiler's optimiser was on. */
  readonly isOptimised: boolean
  readonly viaIR: boolean
}

export interface IndexedSource {
  /** Number in source maps. */
  id: number | undefined
  /** Text; undefined: it has to be read from the project. */
  content: Place | undefined
  /** Syntax tree. */
  tree: Place | undefined
}

/** Names of the parts are those in the compiler's output. */
export interface IndexedContract {
  readonly sourceName: string
  readonly name: string
  readonly places: Partial<Record<ContractPart, Place>>
}

export type ContractPart =
  | 'abi'
  | 'metadata'
  | 'storageLayout'
  | 'transientStorageLayout'
  /** Compressed source maps. */
  | 'bytecode'
  | 'deployedBytecode'
  /** Codes. */
  | 'creation'
  | 'runtime'

export class BuildIndex {
  /** By the name of the source in the compilation. */
  readonly sources: Map<string, IndexedSource> = new Map()
  /** By {@link contractKey}. */
  readonly contracts: Map<string, IndexedContract> = new Map()
  compiler: string | undefined
  language: string | undefined
  settings: unknown

  /** Memory (estimate). */
  get bytes(): number {
    return ENTRY_BYTES * (this.sources.size + 2 * this.contracts.size + 1)
  }

  get compilation(): Compilation {
    const { compiler, language, settings } = this
    return { compiler, language, settings, ...settingsIn(settings) }
  }

  source(name: string): IndexedSource | undefined {
    const known = this.sources.get(name)
    if (known !== undefined || this.sources.size >= MAX_BUILD_ENTRIES) return known
    const added = { id: undefined, content: undefined, tree: undefined }
    this.sources.set(name, added)
    return added
  }
}

/** A contract with the texts that make it an artifact, in JSON. */
export interface ScannedContract extends IndexedContract {
  readonly abi: string | undefined
  readonly creation: string | undefined
  readonly runtime: string | undefined
}

const ENTRY_BYTES = 512
const PARTS: ReadonlySet<string> = new Set(['metadata', 'storageLayout', 'transientStorageLayout'])
const CODES: ReadonlySet<string> = new Set(['bytecode', 'deployedBytecode'])
const VERSIONS: ReadonlySet<string> = new Set(['solcVersion', 'solcLongVersion', 'language', 'source_id_to_path'])

export function contractKey(sourceName: string, contractName: string): string {
  return `${sourceName}:${contractName}`
}

/** Fills an index from one file. */
export class BuildVisitor implements JsonVisitor {
  readonly #index: BuildIndex
  readonly #file: string
  readonly #onContract: ((contract: ScannedContract) => void) | undefined
  #places: Partial<Record<ContractPart, Place>> = {}
  #texts: { abi?: string | undefined; bytecode?: string | undefined; deployedBytecode?: string | undefined } = {}

  /** @param onContract receives each contract with its code; undefined: only places are noted */
  constructor(index: BuildIndex, file: string, onContract: ((contract: ScannedContract) => void) | undefined) {
    this.#index = index
    this.#file = file
    this.#onContract = onContract
  }

  wants(path: readonly string[]): Wanted {
    const [first = ''] = path
    if (path.length === 0 || (path.length === 1 && (first === 'input' || first === 'output'))) return 'enter'
    if (path.length === 1 && VERSIONS.has(first)) return 'text'
    if (first === 'input') return wantsInput(path)
    const output = outputPath(path)
    if (output[0] === 'sources') return wantsOutputSource(output)
    return output[0] === 'contracts' ? this.#wantsContract(output) : 'skip'
  }

  #wantsContract(path: readonly string[]): Wanted {
    const [, , , part = '', code = '', member] = path
    if (path.length <= 3) return 'enter'
    if (path.length === 4)
      return part === 'evm' ? 'enter' : part === 'abi' ? this.#abi : PARTS.has(part) ? 'range' : 'skip'
    if (part !== 'evm' || !CODES.has(code)) return 'skip'
    if (path.length === 5) return 'enter'
    return member === 'sourceMap' ? 'range' : member === 'object' ? this.#code : 'skip'
  }

  get #code(): Wanted {
    return this.#onContract === undefined ? 'skip' : 'text'
  }

  get #abi(): Wanted {
    return this.#onContract === undefined ? 'range' : 'text'
  }

  text(path: readonly string[], text: string | undefined, range: ByteRange): void {
    const value = parsed(text)
    if (path.length === 1) this.#root(path[0] ?? '', value)
    else if (path[0] === 'input') {
      if (path[1] === 'language') this.#index.language = textOf(value) ?? this.#index.language
      else this.#index.settings = value
    } else this.#output(outputPath(path), text, value, range)
  }

  #root(name: string, value: unknown): void {
    const index = this.#index
    if (name === 'language') index.language ??= textOf(value)
    else if (name === 'source_id_to_path') {
      for (const [id, path] of Object.entries(objectOf(value))) {
        const source = typeof path === 'string' ? index.source(path) : undefined
        if (source !== undefined) source.id = Number(id)
      }
    } else if (name === 'solcLongVersion' || index.compiler === undefined) index.compiler = textOf(value)
  }

  #output(path: readonly string[], text: string | undefined, value: unknown, range: ByteRange): void {
    const [kind, name = '', , , code] = path
    if (kind === 'sources') {
      const source = this.#index.source(name)
      if (source !== undefined && Number.isInteger(value)) source.id = value as number
    } else if (path.length === 4) {
      this.#texts.abi = text
      this.#places.abi = { path: this.#file, ...range }
    } else {
      this.#texts[code as 'bytecode' | 'deployedBytecode'] = text
      this.#places[code === 'bytecode' ? 'creation' : 'runtime'] = { path: this.#file, ...range }
    }
  }

  range(path: readonly string[], range: ByteRange): void {
    const place = { path: this.#file, ...range }
    if (path[0] === 'input') {
      const source = this.#index.source(path[2] ?? '')
      if (source !== undefined) source.content = place
      return
    }
    const [kind, name = '', , part, code] = outputPath(path)
    if (kind === 'sources') {
      const source = this.#index.source(name)
      if (source !== undefined) source.tree = place
    } else this.#places[(part === 'evm' ? code : part) as ContractPart] = place
  }

  left(path: readonly string[]): void {
    const output = outputPath(path)
    if (output[0] !== 'contracts' || output.length !== 3) return
    const [, sourceName = '', name = ''] = output
    const contract = { sourceName, name, places: this.#places }
    const { abi, bytecode: creation, deployedBytecode: runtime } = this.#texts
    this.#places = {}
    this.#texts = {}
    if (this.#index.contracts.size >= MAX_BUILD_ENTRIES) return
    this.#index.contracts.set(contractKey(sourceName, name), contract)
    this.#onContract?.({ ...contract, abi, creation, runtime })
  }
}

function wantsInput(path: readonly string[]): Wanted {
  const [, second, , member] = path
  if (path.length === 2)
    return second === 'sources' ? 'enter' : second === 'language' || second === 'settings' ? 'text' : 'skip'
  if (second !== 'sources') return 'skip'
  return path.length === 3 ? 'enter' : member === 'content' ? 'range' : 'skip'
}

function wantsOutputSource(path: readonly string[]): Wanted {
  if (path.length <= 2) return 'enter'
  return path[2] === 'id' ? 'text' : path[2] === 'ast' ? 'range' : 'skip'
}

/** The path within the compiler's output, which may be the whole file. */
function outputPath(path: readonly string[]): readonly string[] {
  return path[0] === 'output' ? path.slice(1) : path
}

function settingsIn(settings: unknown): Pick<Compilation, 'isOptimised' | 'viaIR'> {
  const { optimizer, viaIR } = objectOf(settings)
  return { isOptimised: objectOf(optimizer)['enabled'] === true, viaIR: viaIR === true }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
