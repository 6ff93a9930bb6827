/**
 * Contracts in files that readers drop on the page: artifacts of Hardhat, Foundry and the Solidity compiler, build
 * information of them, and plain ABIs. The files are not trusted.
 * @module
 */
import { isAbiEntry } from '../../../../src/abi/abiItem.ts'
import { type Artifact, readArtifact } from '../../../../src/abi/artifact.ts'

export interface DroppedContract {
  readonly artifact: Artifact
  /** The kept parts of the file: name, source name, ABI and code. */
  readonly text: string
}

export interface DroppedFile {
  readonly contracts: readonly DroppedContract[]
  /** Why the file, or a part of it, is not used; undefined: all of it is. */
  readonly problem: string | undefined
}

/** A longer file would hold up the page for more than a moment. */
export const MAX_FILE_BYTES: number = 32 * 2 ** 20
const MAX_CONTRACTS = 500
/** Of one contract, in characters: the longest code that a block admits has 98,304 digits. */
const MAX_CONTRACT_LENGTH = 2 ** 20

/** @param path of the file, whose name is the contract's name if the content has none */
export function readDroppedFile(text: string, path: string): DroppedFile {
  const json = parsed(text)
  if (json === undefined) return { contracts: [], problem: 'It is not valid JSON.' }
  const inBuild = contractsOfBuild(json)
  const candidates = inBuild ?? [json]
  const contracts: DroppedContract[] = []
  for (const candidate of candidates.slice(0, MAX_CONTRACTS)) {
    const contract = readContract(candidate, path)
    if (contract !== undefined) contracts.push(contract)
  }
  if (contracts.length === 0) return { contracts, problem: 'It has no ABI, or one that is too long.' }
  const left = candidates.length - MAX_CONTRACTS
  return { contracts, problem: left > 0 ? `${left} further contracts are left out.` : undefined }
}

/** @param path see readDroppedFile @returns undefined without a usable ABI */
export function readContract(json: unknown, path: string): DroppedContract | undefined {
  const text = keptText(json)
  if (text === undefined || text.length > MAX_CONTRACT_LENGTH) return undefined
  const outcome = readArtifact(text, path)
  return outcome.kind === 'artifact' ? { artifact: outcome.artifact, text } : undefined
}

function keptText(json: unknown): string | undefined {
  const { abi, contractName, sourceName, deployedBytecode, evm, metadata } = (
    Array.isArray(json) ? { abi: json } : (json ?? {})
  ) as Partial<Record<string, unknown>>
  // The ABI of an artifact may be empty; a list without entries is none.
  const isEmpty = !Array.isArray(json) && Array.isArray(abi) && abi.length === 0
  if (!Array.isArray(abi) || !(isEmpty || abi.some(isAbiEntry))) return undefined
  const code = deployedBytecode ?? memberOf(evm, 'deployedBytecode')
  return JSON.stringify({
    abi,
    contractName,
    sourceName,
    deployedBytecode: memberOf(code, 'object') ?? code,
    metadata: typeof metadata === 'object' ? metadata : undefined,
  })
}

/** Members `output.contracts[source][name]`; undefined: this is no build information. */
function contractsOfBuild(json: unknown): unknown[] | undefined {
  const sources = memberOf(memberOf(json, 'output'), 'contracts') ?? memberOf(json, 'contracts')
  if (typeof sources !== 'object' || sources === null || Array.isArray(json)) return undefined
  return Object.entries(sources).flatMap(([sourceName, contracts]) =>
    typeof contracts !== 'object' || contracts === null
      ? []
      : Object.entries(contracts)
          .filter((entry): entry is [string, object] => typeof entry[1] === 'object')
          .map(([contractName, contract]) => ({ ...contract, metadata: undefined, contractName, sourceName })),
  )
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
