/**
 * The parts of artifacts that lead to their compilation.
 * @module
 */
import { type Compilation, objectOf } from '../build/buildIndex.ts'

/** Parts of the compiler's output for one contract. */
export interface ContractOutput {
  /** Compressed source maps. */
  readonly creation: string | undefined
  readonly runtime: string | undefined
  /** As the compiler wrote them; undefined: they were not asked for. */
  readonly storageLayout: unknown
  readonly transientStorageLayout: unknown
  /** JSON that the compiler wrote about sources and settings. */
  readonly metadata: string | undefined
}

/** The parts of an artifact that lead to its sources. */
export interface ArtifactLinks extends Compilation {
  /** Name of the source file in the compilation. */
  readonly sourceName: string | undefined
  readonly contractName: string | undefined
  /** Hardhat 3 */
  readonly buildInfoId: string | undefined
  /** Foundry: the number of the source file, and the maps. */
  readonly sourceId: number | undefined
  readonly output: ContractOutput
  /** Foundry: the hashes of the sources (hex without prefix; undefined if unknown) by path. */
  readonly sourceHashes: ReadonlyMap<string, string | undefined>
  /** Foundry: the syntax tree of the source file; undefined: it was not asked for. */
  readonly tree: unknown
}

/** @throws {SyntaxError} unless the text is JSON */
export function readArtifactLinks(text: string): ArtifactLinks {
  const json = objectOf(JSON.parse(text))
  const metadata = objectOf(json['metadata'])
  const settings = objectOf(metadata['settings'])
  const { compilationTarget } = settings
  const [target] = Object.entries(objectOf(compilationTarget))
  const sources = Object.entries(objectOf(metadata['sources']))
  return {
    sourceName: textOf(json['inputSourceName']) ?? textOf(json['sourceName']) ?? target?.[0],
    contractName: textOf(json['contractName']) ?? textOf(target?.[1]),
    buildInfoId: textOf(json['buildInfoId']),
    sourceId: numberOf(json['id']),
    output: {
      creation: mapIn(json['bytecode']),
      runtime: mapIn(json['deployedBytecode']),
      storageLayout: json['storageLayout'],
      transientStorageLayout: json['transientStorageLayout'],
      metadata: textOf(json['rawMetadata']) ?? (json['metadata'] === undefined ? undefined : JSON.stringify(metadata)),
    },
    sourceHashes: new Map(sources.map(([path, source]) => [path, hashIn(source)])),
    tree: json['ast'],
    settings: metadata['settings'],
    isOptimised: objectOf(settings['optimizer'])['enabled'] === true,
    viaIR: settings['viaIR'] === true,
    compiler: textOf(objectOf(metadata['compiler'])['version']),
    language: textOf(metadata['language']),
  }
}

/**
 * The path of the build that a `.dbg.json` file of Hardhat 2 names.
 * @param path of the `.dbg.json` file
 * @returns undefined when it is outside the folder
 * @throws {SyntaxError} unless the text is JSON
 */
export function buildPathIn(text: string, path: string): string | undefined {
  const relative = textOf(objectOf(JSON.parse(text))['buildInfo'])
  if (relative === undefined) return undefined
  const parts = path.split('/').slice(0, -1)
  for (const part of relative.split(/[/\\]/)) {
    if (part === '..' && parts.pop() === undefined) return undefined
    if (part !== '..' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

function mapIn(bytecode: unknown): string | undefined {
  const text = textOf(objectOf(bytecode)['sourceMap'])
  return text === '' ? undefined : text
}

function hashIn(source: unknown): string | undefined {
  return textOf(objectOf(source)['keccak256'])?.replace(/^0x/, '')
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined
}
