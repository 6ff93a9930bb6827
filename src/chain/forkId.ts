/**
 * Identifies a chain and its activated forks.
 * @see EIP-2124, EIP-6122
 * @module
 */
import type { Activation, ChainConfig } from '../config/chainConfig.ts'
import { concatBytes, writeUint } from '../primitives/bytes.ts'

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

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

const startOf = (activation: Activation): bigint => ('block' in activation ? activation.block : activation.time)

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** Blocks, then times, at which rules change, each once; rules active at genesis are not a transition. */
function transitions(
  config: ChainConfig,
  genesisTime: bigint,
): { readonly blocks: bigint[]; readonly times: bigint[] } {
  const { activations } = config.options
  const unique = (values: readonly bigint[]): bigint[] => [...new Set(values)].sort(ascending)
  return {
    blocks: unique(activations.filter((entry) => 'block' in entry).map(startOf)).filter((block) => block > 0n),
    times: unique(activations.filter((entry) => 'time' in entry).map(startOf)).filter((time) => time > genesisTime),
  }
}

/** @returns the four bytes of FORK_HASH at a point of the chain */
export function forkHash(
  config: ChainConfig,
  genesis: { readonly hash: Uint8Array; readonly timestamp: bigint },
  point: ForkPoint,
): Uint8Array {
  const { blocks, times } = transitions(config, genesis.timestamp)
  const passed = [
    ...blocks.filter((block) => block <= point.number),
    ...times.filter((time) => time <= point.timestamp),
  ]
  const numbers = passed.map((start) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigUint64(0, start)
    return bytes
  })
  const hash = new Uint8Array(4)
  writeUint(hash, 0, crc32(concatBytes(genesis.hash, ...numbers)), 4)
  return hash
}
