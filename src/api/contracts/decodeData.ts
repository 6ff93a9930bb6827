/**
 * Decodes data of requests with everything that is known of contracts.
 * @module
 */
import type { Decoded } from '../../abi/decoded.ts'
import { ContractResolver, type ContractsBackend, type ResolvedContract } from './resolve.ts'

export type DataKind = 'call' | 'error' | 'event' | 'constructor'

export interface LogData {
  /** 32 bytes each */
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/**
 * @param data of an event: its log
 * @param address of the contract that is called, that failed, that emitted the log, or that was created
 */
export async function decodeData(
  backend: ContractsBackend,
  kind: DataKind,
  data: Uint8Array | LogData,
  address: Uint8Array | undefined,
): Promise<Decoded | undefined> {
  const { contracts, chain } = backend
  await contracts.ready()
  const contract = address && (await new ContractResolver(backend, chain.head).at(address))
  const decode = (): Decoded | undefined => decoded(backend, kind, data, contract)
  return decode() ?? ((await contracts.refresh()) ? decode() : undefined)
}

function decoded(
  { contracts }: ContractsBackend,
  kind: DataKind,
  data: Uint8Array | LogData,
  contract: ResolvedContract | undefined,
): Decoded | undefined {
  const { decoder } = contracts.knowledge
  const abis = contract?.abis ?? []
  if (!(data instanceof Uint8Array)) return decoder.event(data.topics, data.data, abis)
  switch (kind) {
    case 'call':
      return decoder.call(data, abis)
    case 'error':
      return decoder.error(data, abis)
    default:
      return decoder.creation(data, contract?.artifact)
  }
}
