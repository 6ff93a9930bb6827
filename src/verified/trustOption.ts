/**
 * The options of a verified provider, checked.
 * @module
 */
import { tryHexToBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import { type Genesis, parseGenesisFile } from '../config/genesisFile.ts'
import { loadNetwork, type NetworkName } from '../config/networks.ts'
import type { Trust, VerifiedOptions } from './contract.ts'

/** @throws {NodeError} INVALID_OPTION, INVALID_GENESIS */
export async function genesisOf({ genesis, network }: VerifiedOptions): Promise<Genesis> {
  if ((genesis === undefined) === (network === undefined)) throw invalidOption('give either genesis or network')
  if (genesis !== undefined) return parseGenesisFile(typeof genesis === 'string' ? genesis : JSON.stringify(genesis))
  const name = (network as string).toUpperCase() as NetworkName
  return loadNetwork(name).catch((error: unknown) => {
    if (error instanceof TypeError) throw invalidOption(`network: there is no network ${network}`)
    throw error
  })
}

export type CheckedTrust =
  | { readonly kind: 'hash' | 'checkpoint'; readonly hash: Uint8Array }
  | { readonly kind: 'heads'; readonly urls: readonly string[]; readonly agree: number }

/** @throws {NodeError} INVALID_OPTION */
export async function checkedTrust(trust: Trust, genesis: Genesis, schedule: ConsensusSchedule): Promise<CheckedTrust> {
  if ('hash' in trust) return { kind: 'hash', hash: hashOf('trust.hash', trust.hash) }
  if ('checkpoint' in trust) {
    const { checkpoint } = trust
    if (checkpoint !== 'genesis') return { kind: 'checkpoint', hash: hashOf('trust.checkpoint', checkpoint) }
    const { genesisHash } = await import('./genesisHash.ts')
    return { kind: 'checkpoint', hash: genesisHash(genesis, schedule) }
  }
  const { heads, agree } = trust
  const count = new Set(heads).size
  if (!Number.isInteger(agree) || agree < 1 || agree > count) {
    throw invalidOption(`trust.agree must be a number from 1 to ${count}, the number of different addresses`)
  }
  return { kind: 'heads', urls: [...new Set(heads)], agree }
}

function hashOf(name: string, text: unknown): Uint8Array {
  const bytes = typeof text === 'string' ? tryHexToBytes(text) : undefined
  if (bytes?.length !== 32) throw invalidOption(`${name} must be a block hash, 32 bytes in hex`)
  return bytes
}

export function invalidOption(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
