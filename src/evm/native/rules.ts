/**
 * Fork rules in the module's format: static gas of every opcode, costs and flags in one block of bytes.
 * @module
 */
import { concatBytes } from '../../base/primitives/bytes.ts'
import type { ForkRules } from '../../config/forks.ts'
import { precompileAddresses } from '../precompiles/index.ts'
import {
  PRECOMPILE_COUNT,
  PRECOMPILES,
  RULE_CALL_STIPEND,
  RULE_CALL_VALUE,
  RULE_COLD_ACCOUNT,
  RULE_COLD_SLOT,
  RULE_COPY_WORD,
  RULE_EXP_BYTE,
  RULE_FLAGS,
  RULE_GAS_TABLE,
  RULE_HAS_ACCESS_LISTS,
  RULE_HAS_ALL_BUT_ONE_64TH,
  RULE_HAS_STATE_CLEARING,
  RULE_INIT_CODE_LIMIT,
  RULE_INIT_CODE_WORD,
  RULE_KECCAK_WORD,
  RULE_LOG_BYTE,
  RULE_NEW_ACCOUNT,
  RULE_STORAGE,
  RULE_STORAGE_CLEAR_REFUND,
  RULE_STORAGE_DIRTY,
  RULE_STORAGE_RESET,
  RULE_STORAGE_RESTORE_REFUND,
  RULE_STORAGE_SENTRY,
  RULE_STORAGE_SET,
  RULE_STORAGE_UNSET_REFUND,
  RULE_WARM,
  RULES,
  STORAGE_LEGACY,
  STORAGE_NET,
  STORAGE_SENTRY,
} from './assembly/layout.ts'
import { initCodeLimit } from './codeLimits.ts'
import { staticGas } from './gasTable.ts'
import type { NativeInstance } from './instance.ts'

type Costs = ReadonlyMap<number, number>

const FRONTIER: Costs = new Map([
  [RULE_EXP_BYTE, 10],
  [RULE_KECCAK_WORD, 6],
  [RULE_COPY_WORD, 3],
  [RULE_LOG_BYTE, 8],
  [RULE_INIT_CODE_LIMIT, 0xffff_ffff],
  [RULE_CALL_VALUE, 9000],
  [RULE_CALL_STIPEND, 2300],
  [RULE_NEW_ACCOUNT, 25_000],
  [RULE_STORAGE, STORAGE_LEGACY],
  [RULE_STORAGE_SET, 20_000],
  [RULE_STORAGE_RESET, 5000],
  [RULE_STORAGE_DIRTY, 5000],
  [RULE_STORAGE_CLEAR_REFUND, 15_000],
])

/** Changes by single EIPs, in the order in which the chains adopted them. */
const CHANGES: readonly (readonly [eip: number, costs: Costs])[] = [
  [160, new Map([[RULE_EXP_BYTE, 50]])],
  [
    1283,
    new Map([
      [RULE_STORAGE, STORAGE_NET],
      [RULE_STORAGE_DIRTY, 200],
      [RULE_STORAGE_UNSET_REFUND, 19_800],
      [RULE_STORAGE_RESTORE_REFUND, 4800],
    ]),
  ],
  [
    2200,
    new Map([
      [RULE_STORAGE, STORAGE_SENTRY],
      [RULE_STORAGE_SENTRY, 2300],
      [RULE_STORAGE_DIRTY, 800],
      [RULE_STORAGE_UNSET_REFUND, 19_200],
      [RULE_STORAGE_RESTORE_REFUND, 4200],
    ]),
  ],
  [
    2929,
    new Map([
      [RULE_COLD_ACCOUNT, 2600],
      [RULE_COLD_SLOT, 2100],
      [RULE_WARM, 100],
      [RULE_STORAGE_RESET, 2900],
      [RULE_STORAGE_DIRTY, 100],
      [RULE_STORAGE_UNSET_REFUND, 19_900],
      [RULE_STORAGE_RESTORE_REFUND, 2800],
    ]),
  ],
  [3529, new Map([[RULE_STORAGE_CLEAR_REFUND, 4800]])],
  [3860, new Map([[RULE_INIT_CODE_WORD, 2]])],
]

const FLAGS: readonly (readonly [eip: number, flag: number])[] = [
  [2929, RULE_HAS_ACCESS_LISTS],
  [150, RULE_HAS_ALL_BUT_ONE_64TH],
  [161, RULE_HAS_STATE_CLEARING],
]

const BLOCK_BYTES = RULE_STORAGE_RESTORE_REFUND + 4 - RULES

/** Blocks of bytes by fork and code size limit; a chain has one limit. */
const blocks = new WeakMap<ForkRules, Map<number | undefined, Uint8Array>>()

/**
 * Writes the rules of a fork to an instance, unless it already holds them.
 * @param contractSizeLimit see `ExecutionEnvironment`
 */
export function useRules(instance: NativeInstance, rules: ForkRules, contractSizeLimit: number | undefined): void {
  const cachedBlock = blocks.get(rules)
  const block = cachedBlock?.get(contractSizeLimit) ?? encodeRules(rules, contractSizeLimit)
  if (instance.rules === block) return
  if (cachedBlock === undefined) blocks.set(rules, new Map([[contractSizeLimit, block]]))
  else cachedBlock.set(contractSizeLimit, block)
  instance.write(RULES, block)
  const precompiles = precompileAddresses(rules)
  instance.setU32(PRECOMPILE_COUNT, precompiles.length)
  instance.write(PRECOMPILES, concatBytes(...precompiles))
  instance.rulesChanged()
  instance.rules = block
}

function encodeRules(rules: ForkRules, contractSizeLimit: number | undefined): Uint8Array {
  const { eips } = rules
  const view = new DataView(new ArrayBuffer(BLOCK_BYTES))
  staticGas(rules).forEach((gas, opcode) => {
    view.setUint16(RULE_GAS_TABLE - RULES + 2 * opcode, gas, true)
  })
  const set = (costs: Costs): void => {
    for (const [at, cost] of costs) view.setUint32(at - RULES, cost, true)
  }
  set(FRONTIER)
  for (const [eip, costs] of CHANGES) if (eips.has(eip)) set(costs)
  const limit = initCodeLimit(rules, contractSizeLimit)
  if (limit !== undefined) set(new Map([[RULE_INIT_CODE_LIMIT, limit]]))
  let flags = 0
  for (const [eip, flag] of FLAGS) if (eips.has(eip)) flags |= flag
  set(new Map([[RULE_FLAGS, flags]]))
  return new Uint8Array(view.buffer)
}
