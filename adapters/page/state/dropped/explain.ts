/**
 * Explains dropped contracts in the form of the node's answers to `isonode_contractAt` and `isonode_decode`.
 * @module
 */
import { withoutMetadata } from '../../../../src/abi/codePattern.ts'
import { selectorsIn } from '../../../../src/abi/codeSelectors.ts'
import { Decoder } from '../../../../src/abi/decoder.ts'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { isAddress, isData } from '../../format/hex.ts'
import type { AbiEntry, ContractInfo, Decoded } from '../../rpc/isonode.ts'
import { request } from '../node.ts'
import { droppedContracts, type Known } from './droppedContracts.ts'

/** @returns the contract at the address; undefined: it is none of the dropped ones */
export async function explainContract(address: unknown): Promise<ContractInfo | undefined> {
  const found = await contractAt(address)
  if (found === undefined) return undefined
  const { contract, code } = found
  const { abi } = JSON.parse(contract.text) as { readonly abi: readonly AbiEntry[] }
  return {
    id: contract.id,
    name: contract.artifact.name,
    sourceName: contract.sourceName ?? null,
    matchedBy: 'code',
    implementation: null,
    delegation: null,
    abi,
    selectors: selectorsIn(withoutMetadata(code)).map((selector) => `0x${selector}`),
    hasSource: false,
    hasLayout: false,
    compiler: null,
  }
}

interface LogData {
  readonly topics: readonly string[]
  readonly data: string
}

/** @param kind of `isonode_decode` @returns undefined when no dropped contract explains the data */
export async function explainData(data: unknown, kind: unknown, address: unknown): Promise<Decoded | undefined> {
  const { index } = await droppedContracts()
  const contracts = [(await contractAt(address))?.contract.artifact].filter((artifact) => artifact !== undefined)
  const decoder = new Decoder(() => index)
  if (kind === 'event') {
    const { topics, data: hex } = data as LogData
    return isData(hex) ? decoder.event(topics.map(hexToBytes), hexToBytes(hex), contracts) : undefined
  }
  if (typeof data !== 'string' || !isData(data)) return undefined
  const bytes = hexToBytes(data)
  return kind === 'error' ? decoder.error(bytes, contracts) : decoder.call(bytes, contracts)
}

interface Found {
  readonly contract: Known
  readonly code: Uint8Array
}

async function contractAt(address: unknown): Promise<Found | undefined> {
  if (typeof address !== 'string' || !isAddress(address)) return undefined
  const [{ index, known }, hex] = await Promise.all([
    droppedContracts(),
    request<string>('eth_getCode', [address, 'latest']),
  ])
  if (!isData(hex)) return undefined
  const code = hexToBytes(hex)
  const artifact = index.contract(code)
  const contract = known.find((one) => one.artifact === artifact)
  return contract && { contract, code }
}
