/**
 * Identifies a chain and its activated forks.
 * @see EIP-2124, EIP-6122
 * @module
 */

import { uintBytes } from '../base/primitives/bytes.ts'
import type { Activation, ChainConfig } from '../config/chainConfig.ts'

/** Position in the chain. */
export interface ForkPoint {
  readonly number: bigint
  readonly timestamp: bigint
}

const POLYNOMIAL = 0xedb88320

const CRC_TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value >>> 0
})

/** @param previous checksum of the bytes before these */
function crc32(bytes: Uint8Array, previous = 0): number {
  let crc = previous ^ 0xffffffff
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

const startOf = (activation: Activation): bigint => ('block' in activation ? activation.block : activation.time)

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** Identity of a chain's first block. */
export interface ForkGenesis {
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly timestamp: bigint
}

/** A change of the rules after the first block. */
export interface ForkTransition {
  /** Block number, or timestamp in seconds. */
  readonly start: bigint
  readonly isTime: boolean
  /** FORK_HASH from this transition on, as a number. */
  readonly checksum: number
}

/** All forks of a chain in order: blocks, then times, each once. Rules active at the first block are not a transition. */
export interface ForkSchedule {
  /** FORK_HASH before the first transition, as a number. */
  readonly genesisChecksum: number
  readonly transitions: readonly ForkTransition[]
}

export function forkSchedule(config: ChainConfig, genesis: ForkGenesis): ForkSchedule {
  // The DAO block is not a fork of Ethereum Classic, which kept its rules there.
  const { refusedForkBlock } = config.options
  const activations = config.options.activations.filter(({ fork }) => fork !== 'classicForkBlock')
  const unique = (values: readonly bigint[]): bigint[] => [...new Set(values)].sort(ascending)
  const activationBlocks = activations.filter((entry) => 'block' in entry).map(startOf)
  const blocks = unique([...activationBlocks, refusedForkBlock ?? 0n]).filter((block) => block > config.firstBlock)
  const times = unique(activations.filter((entry) => 'time' in entry).map(startOf))
  const starts = [
    ...blocks.map((start) => ({ start, isTime: false })),
    ...times.filter((time) => time > genesis.timestamp).map((start) => ({ start, isTime: true })),
  ]
  const genesisChecksum = crc32(genesis.hash)
  const transitions: ForkTransition[] = []
  let checksum = genesisChecksum
  for (const { start, isTime } of starts) {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigUint64(0, start)
    checksum = crc32(bytes, checksum)
    transitions.push({ start, isTime, checksum })
  }
  return { genesisChecksum, transitions }
}

export function isPassed({ start, isTime }: ForkTransition, { number, timestamp }: ForkPoint): boolean {
  return start <= (isTime ? timestamp : number)
}

/** @returns the four bytes of FORK_HASH at a point of the chain */
export function forkHash(config: ChainConfig, genesis: ForkGenesis, point: ForkPoint): Uint8Array {
  const { genesisChecksum, transitions } = forkSchedule(config, genesis)
  let checksum = genesisChecksum
  for (const transition of transitions) if (isPassed(transition, point)) checksum = transition.checksum
  return checksumBytes(checksum)
}

/** Big-endian, 4 bytes. */
export function checksumBytes(checksum: number): Uint8Array {
  return uintBytes(checksum, 4)
}
