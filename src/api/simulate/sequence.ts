/**
 * Orders the blocks of a simulation: default numbers and times, and empty blocks in gaps.
 * @module
 */
import { MAX_SIMULATED_BLOCKS } from '../../base/limits/limits.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Header } from '../../types/block.ts'
import { NO_BLOCK_OVERRIDES } from '../calls/overrides.ts'
import type { BlockStateCall } from './contract.ts'

/** Seconds between simulated blocks. */
const BLOCK_TIME = 12n

export interface PlacedBlock extends BlockStateCall {
  readonly number: bigint
  readonly timestamp: bigint
}

/** @throws {NodeError} SIMULATION_BLOCK_NUMBER, SIMULATION_BLOCK_TIMESTAMP, SIMULATION_TOO_LARGE */
export function placeBlocks(base: Header, calls: readonly BlockStateCall[]): PlacedBlock[] {
  if (calls.length > MAX_SIMULATED_BLOCKS) throw tooLarge()
  const placed: PlacedBlock[] = []
  let number = base.number
  let timestamp = base.timestamp
  for (const call of calls) {
    const blockNumber = call.blockOverrides.number ?? number + 1n
    if (blockNumber <= number) {
      throw new NodeError(
        { code: 'SIMULATION_BLOCK_NUMBER' },
        `block numbers must be in order: ${blockNumber} <= ${number}`,
      )
    }
    if (blockNumber - base.number > MAX_SIMULATED_BLOCKS) throw tooLarge()
    for (number++; number < blockNumber; number++) {
      timestamp += BLOCK_TIME
      placed.push({ blockOverrides: NO_BLOCK_OVERRIDES, stateOverrides: [], calls: [], number, timestamp })
    }
    timestamp = timeAfter(timestamp, call.blockOverrides.time)
    placed.push({ ...call, number, timestamp })
  }
  return placed
}

function timeAfter(previous: bigint, wanted: bigint | undefined): bigint {
  if (wanted === undefined) return previous + BLOCK_TIME
  if (wanted <= previous) {
    const reason = `block timestamps must be in order: ${wanted} <= ${previous}`
    throw new NodeError({ code: 'SIMULATION_BLOCK_TIMESTAMP' }, reason)
  }
  return wanted
}

function tooLarge(): NodeError {
  return new NodeError({ code: 'SIMULATION_TOO_LARGE' }, 'too many blocks')
}
