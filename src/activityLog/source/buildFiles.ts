/**
 * The files in which Hardhat and Foundry describe a compilation.
 * @module
 */

/** A source of a compilation. */
export interface BuildSource {
  readonly path: string
  /** undefined: it has to be read from the project. */
  readonly content: string | undefined
}

/** Compressed source maps of one contract. */
export interface ContractMaps {
  readonly creation: string | undefined
  readonly runtime: string | undefined
}

export interface Build {
  /** By the number in source maps. */
  readonly sources: ReadonlyMap<number, BuildSource>
  /** By {@link contractKey}; empty when the artifacts have the maps themselves. */
  readonly contracts: ReadonlyMap<string, ContractMaps>
  /** Whether the compiler's optimiser was on. */
  readonly isOptimised: boolean
}

/** The parts of an artifact that lead to its sources. */
export interface ArtifactLinks {
  /** Name of the source file in the compilation. */
  readonly sourceName: string | undefined
  readonly contractName: string | undefined
  /** Hardhat 3 */
  readonly buildInfoId: string | undefined
  /** Foundry: the number of the source file, and the maps. */
  readonly sourceId: number | undefined
  readonly maps: ContractMaps
  /** Foundry: the hashes of the sources (hex without prefix; undefined if unknown) by path. */
  readonly sourceHashes: ReadonlyMap<string, string | undefined>
  readonly isOptimised: boolean
}

/** Prefix of a project's own sources in Hardhat 3. */
const PROJECT_PREFIX = /^project\//

export function contractKey(sourceName: string, contractName: string): string {
  return `${sourceName}:${contractName}`
}

/** @throws {SyntaxError} unless the text is JSON */
export function readArtifactLinks(text: string): ArtifactLinks {
  const json = objectOf(JSON.parse(text))
  const { compilationTarget, optimizer } = objectOf(objectOf(json['metadata'])['settings'])
  const [target] = Object.entries(objectOf(compilationTarget))
  const sources = Object.entries(objectOf(objectOf(json['metadata'])['sources']))
  return {
    sourceName: textOf(json['inputSourceName']) ?? textOf(json['sourceName']) ?? target?.[0],
    contractName: textOf(json['contractName']) ?? textOf(target?.[1]),
    buildInfoId: textOf(json['buildInfoId']),
    sourceId: numberOf(json['id']),
    maps: { creation: mapIn(json['bytecode']), runtime: mapIn(json['deployedBytecode']) },
    sourceHashes: new Map(sources.map(([path, source]) => [path, hashIn(source)])),
    isOptimised: objectOf(optimizer)['enabled'] === true,
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

/**
 * @param text build information with the compiler's input, or with paths only
 * @param outputText the compiler's output, if it is in a separate file (Hardhat 3)
 * @throws {SyntaxError} unless the texts are JSON
 */
export function readBuild(text: string, outputText: string | undefined): Build {
  const json = objectOf(JSON.parse(text))
  const output = objectOf(outputText === undefined ? json['output'] : objectOf(JSON.parse(outputText))['output'])
  const inputs = objectOf(objectOf(json['input'])['sources'])
  const sources = new Map<number, BuildSource>()
  const add = (id: number | undefined, path: string): void => {
    if (id === undefined) return
    const content = textOf(objectOf(inputs[path])['content'])
    sources.set(id, { path: path.replace(PROJECT_PREFIX, ''), content })
  }
  for (const [id, path] of Object.entries(objectOf(json['source_id_to_path']))) add(Number(id), textOf(path) ?? '')
  for (const [path, source] of Object.entries(objectOf(output['sources']))) add(numberOf(objectOf(source)['id']), path)
  const contracts = new Map<string, ContractMaps>()
  for (const [path, ofFile] of Object.entries(objectOf(output['contracts']))) {
    for (const [name, contract] of Object.entries(objectOf(ofFile))) {
      const evm = objectOf(objectOf(contract)['evm'])
      const maps = { creation: mapIn(evm['bytecode']), runtime: mapIn(evm['deployedBytecode']) }
      contracts.set(contractKey(path, name), maps)
    }
  }
  const { optimizer } = objectOf(objectOf(json['input'])['settings'])
  return { sources, contracts, isOptimised: objectOf(optimizer)['enabled'] === true }
}

function mapIn(bytecode: unknown): string | undefined {
  const text = textOf(objectOf(bytecode)['sourceMap'])
  return text === '' ? undefined : text
}

function hashIn(source: unknown): string | undefined {
  return textOf(objectOf(source)['keccak256'])?.replace(/^0x/, '')
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined
}
