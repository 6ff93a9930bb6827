/**
 * Translates fork rules to `@ethereumjs`: an immutable `Common` with cached lookups, and opcode and precompile tables
 * that are built once.
 * @module
 */

import { Common, type CommonOpts, Hardfork, Mainnet, type ParamsDict } from '@ethereumjs/common'
import { EVMError, getActivePrecompiles, getOpcodesForHF, paramsEVM } from '@ethereumjs/evm'
import type { ForkRules } from '../../config/forks.ts'
import { useCodeOpcodes } from './codeOpcodes.ts'
import { pausingJumpdest } from './jumpdest.ts'
import { lazyKzgPrecompile } from './kzg.ts'
import type { OpcodeTables, PreparedCommon } from './preparedTypes.ts'

/** Newest first: the EIP that identifies a hardfork. */
const MARKERS: readonly (readonly [eip: number, hardfork: string])[] = [
  [7951, Hardfork.Osaka],
  [7702, Hardfork.Prague],
  [6780, Hardfork.Cancun],
  [4895, Hardfork.Shanghai],
  [4399, Hardfork.Paris],
  [3198, Hardfork.London],
  [2929, Hardfork.Berlin],
  [2200, Hardfork.Istanbul],
  [1283, Hardfork.Constantinople],
  [1014, Hardfork.Petersburg],
  [140, Hardfork.Byzantium],
  [161, Hardfork.SpuriousDragon],
  [150, Hardfork.TangerineWhistle],
  [2, Hardfork.Homestead],
]

/** EIPs that a fork of another chain may activate on top of its hardfork. */
const SINGLE_EIPS: readonly number[] = [3529, 3541, 3855, 3860]

const KZG_POINT_EVALUATION = '000000000000000000000000000000000000000a'
/** EIP-160, for the fork that includes it without the rest of Spurious Dragon. */
const EXP_BYTE_GAS = 50
/** EIP-3860: ratio of the limits of init code and code. */
const INIT_CODE_FACTOR = 2
const DEFAULT_INIT_CODE_LIMIT = 49_152

/** Parameters for packages other than the EVM. */
export interface ExtraParams {
  readonly tables: readonly ParamsDict[]
  /** Name → value; overrides all other values. */
  readonly values: ReadonlyMap<string, bigint>
}

/** @param contractSizeLimit bytes; undefined for the fork's limit */
export function prepareCommon(
  rules: ForkRules,
  chainId: bigint,
  contractSizeLimit: number | undefined,
  extra: ExtraParams = { tables: [], values: new Map() },
): PreparedCommon {
  const hardfork = hardforkOf(rules)
  const single = SINGLE_EIPS.filter((eip) => rules.eips.has(eip))
  const options: CommonOpts = { chain: { ...Mainnet, defaultHardfork: hardfork }, hardfork }
  const common = new Common(options)
  const missing = single.filter((eip) => !common.isActivatedEIP(eip))
  if (missing.length > 0) common.setEIPs(missing)
  for (const table of [paramsEVM, ...extra.tables]) common.updateParams(table)
  freeze(common, chainId, new Map([...overriddenParams(rules, contractSizeLimit), ...extra.values]))
  const precompiles = getActivePrecompiles(common)
  const kzg = precompiles.get(KZG_POINT_EVALUATION)
  if (kzg !== undefined) precompiles.set(KZG_POINT_EVALUATION, lazyKzgPrecompile(kzg))
  const tables = getOpcodesForHF(common, [pausingJumpdest])
  separateOutOfBounds(tables)
  useCodeOpcodes(tables)
  return { common, tables, precompiles }
}

function hardforkOf({ eips }: ForkRules): string {
  return MARKERS.find(([eip]) => eips.has(eip))?.[1] ?? Hardfork.Chainstart
}

const RETURNDATACOPY = 0x3e

/** The EVM reports a copy beyond the return data as running out of gas; this separates the two. */
function separateOutOfBounds({ opcodeMap }: OpcodeTables): void {
  const entry = opcodeMap[RETURNDATACOPY]
  const gasHandler = entry?.gasHandler as unknown
  if (entry === undefined || typeof gasHandler !== 'function') return
  const charge = entry.gasHandler
  opcodeMap[RETURNDATACOPY] = {
    ...entry,
    gasHandler: async (runState, gas, common) => {
      const [, offset, length] = runState.stack.peek(3)
      if ((offset ?? 0n) + (length ?? 0n) > runState.interpreter.getReturnDataSize()) {
        throw new EVMError(EVMError.errorMessages.OUT_OF_RANGE)
      }
      return charge(runState, gas, common)
    },
  }
}

function overriddenParams({ eips }: ForkRules, contractSizeLimit: number | undefined): Map<string, bigint> {
  const params = new Map<string, bigint>()
  if (eips.has(160) && !eips.has(161)) params.set('expByteGas', BigInt(EXP_BYTE_GAS))
  if (contractSizeLimit !== undefined) {
    params.set('maxCodeSize', BigInt(contractSizeLimit))
    params.set('maxInitCodeSize', BigInt(Math.max(DEFAULT_INIT_CODE_LIMIT, contractSizeLimit * INIT_CODE_FACTOR)))
  }
  return params
}

/**
 * Caches all lookups that the interpreter makes at each opcode, and makes the object shareable: an EVM built on it
 * neither changes it nor adds listeners.
 */
function freeze(common: Common, chainId: bigint, params: Map<string, bigint>): void {
  const hardfork = common.hardfork()
  const eips = new Map<number, boolean>()
  const later = new Map<string, boolean>()
  const isActivatedEIP = common.isActivatedEIP.bind(common)
  const gteHardfork = common.gteHardfork.bind(common)
  const param = common.param.bind(common)
  Object.assign(common, {
    isActivatedEIP: (eip: number) => cached(eips, eip, isActivatedEIP),
    gteHardfork: (fork: string) => cached(later, fork, gteHardfork),
    param: (name: string) => cached(params, name, param),
    hardfork: () => hardfork,
    chainId: () => chainId,
    consensusType: () => 'pow',
    consensusAlgorithm: () => 'ethash',
    updateParams: (_params: ParamsDict) => {},
    events: { on: () => {} },
  })
}

function cached<K, V>(values: Map<K, V>, key: K, compute: (key: K) => V): V {
  const cachedValue = values.get(key)
  if (cachedValue !== undefined) return cachedValue
  const value = compute(key)
  values.set(key, value)
  return value
}
