import type { PrecompileFunc } from '@ethereumjs/evm'
import type { DevEnvironment, ExecutionEnvironment } from '../evm.ts'
import { givenSigner } from '../precompiles/signers.ts'
import type { PreparedCommon } from './preparedTypes.ts'

type Table = PreparedCommon['precompiles']

const ECRECOVER = '01'.padStart(40, '0')
/** Gas of ecrecover, the same in every fork. */
const ECRECOVER_GAS = 3000n

/** The precompiles of a message, by address in hex. */
export function precompileTable(
  { precompiles }: PreparedCommon,
  movedPrecompiles: ExecutionEnvironment['movedPrecompiles'],
  dev: DevEnvironment | undefined,
): Table {
  const table = dev === undefined || dev.signers.size === 0 ? precompiles : withGivenSigners(precompiles, dev.signers)
  return movedPrecompiles === undefined ? table : movePrecompiles(table, movedPrecompiles)
}

function withGivenSigners(precompiles: Table, signers: DevEnvironment['signers']): Table {
  const original = precompiles.get(ECRECOVER)
  if (original === undefined) return precompiles
  const run: PrecompileFunc = (input) => {
    const returnValue = input.gasLimit < ECRECOVER_GAS ? undefined : givenSigner(input.data, signers)
    return returnValue === undefined ? original(input) : { executionGasUsed: ECRECOVER_GAS, returnValue }
  }
  return new Map(precompiles).set(ECRECOVER, run)
}

function movePrecompiles(precompiles: Table, moved: ReadonlyMap<string, string>): Table {
  const result = new Map(precompiles)
  for (const original of moved.values()) result.delete(unprefixed(original))
  for (const [target, original] of moved) {
    const precompile = precompiles.get(unprefixed(original))
    if (precompile !== undefined) result.set(unprefixed(target), precompile)
  }
  return result
}

function unprefixed(address: string): string {
  return (address.startsWith('0x') ? address.slice(2) : address).toLowerCase()
}
