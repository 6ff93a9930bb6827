/**
 * The conditions of debug_findStep. Each member of `where` has a row in a table, which parses it and makes its condition.
 * @module
 */
import { unexpectedValue } from '../../../../api/errors.ts'
import type { RpcProfile } from '../../../../api/profile.ts'
import { MAX_STEP_ALTERNATIVES } from '../../../../base/limits/limits.ts'
import { bytesToBigInt } from '../../../../base/primitives/bytes.ts'
import { described } from '../../../../base/primitives/printable.ts'
import * as conditions from '../../../../tracing/steps/conditions.ts'
import type { StepCondition, StepPosition } from '../../../../tracing/steps/contract.ts'
import type { StepRun } from '../../../../tracing/steps/stepRun.ts'
import { GETH_OPCODE_NAMES } from '../../../../tracing/structLog/opcodes.ts'
import { address, boolean, data, hash32, storagePosition } from '../../../codecs/scalars.ts'
import { asObject, isObject, type JsonObject, member, parameterCodec } from '../../../codecs/support.ts'
import type { Codec, JsonSchema } from '../../../method.ts'

/** Facts about a search that a condition may use. */
export interface StepSearchContext {
  readonly run: StepRun
  /** The step from which the search goes; undefined for the start or the end of the execution. */
  readonly from: number | undefined
}

/** Makes the condition of one search; undefined: the member does not restrict it. */
export type ConditionMaker = (
  search: StepSearchContext,
) => StepCondition | undefined | Promise<StepCondition | undefined>

/** A member of `where`. */
export interface WhereMember {
  readonly name: string
  readonly schema: JsonSchema
  /** @throws {NodeError} INVALID_PARAMS */
  parse(value: unknown, profile?: RpcProfile): ConditionMaker
}

/** No execution has it. */
const NOWHERE: StepPosition = { index: -1, pc: 0, opcode: 0, depth: 0, call: 0 }
const MAX_PC = 2 ** 20
const MAX_DEPTH = 1025
const SELECTOR_BYTES = 4

const opcodeNumbers: ReadonlyMap<string, number> = new Map([
  ...GETH_OPCODE_NAMES.map((name, opcode) => [name, opcode] as const),
  ['SHA3', 0x20],
  ['PREVRANDAO', 0x44],
])

const opcode = parameterCodec<number>({ type: 'string' }, (value) => {
  const number = typeof value === 'string' ? opcodeNumbers.get(value.toUpperCase()) : undefined
  if (number === undefined) throw unexpectedValue('the name of an opcode', described(value))
  return number
})

const position = integerUpTo(MAX_PC)
const depth = integerUpTo(MAX_DEPTH)

const depthRange: Codec<readonly [min: number, max: number]> = parameterCodec(
  {
    oneOf: [depth.schema, { type: 'object', properties: { min: depth.schema, max: depth.schema } }],
  },
  (value) => {
    if (!isObject(value)) {
      const only = depth.parse(value)
      return [only, only]
    }
    return [member(value, 'min', depth) ?? 0, member(value, 'max', depth) ?? MAX_DEPTH]
  },
)

const selector = parameterCodec<Uint8Array>({ title: 'Selector', type: 'string' }, (value) => {
  const bytes = data.parse(value)
  if (bytes.length !== SELECTOR_BYTES) throw unexpectedValue(`${SELECTOR_BYTES} bytes of hex`, described(value))
  return bytes
})

/** The members that need nothing but the execution. */
export const WHERE_MEMBERS: readonly WhereMember[] = [
  whereMember('op', oneOrMany(opcode), conditions.opcodeCondition),
  whereMember('pc', oneOrMany(position), conditions.positionCondition),
  whereMember('address', address, conditions.codeCondition),
  whereMember('depth', depthRange, ([min, max]) => conditions.depthCondition(min - 1, max - 1)),
  flag('call', () => conditions.callCondition),
  flag('log', () => conditions.logCondition),
  flag('write', () => conditions.writeCondition),
  flag('revert', () => conditions.revertCondition),
  flag('failure', async ({ run }) => ({ position: (await run.summary()).failure ?? NOWHERE })),
  whereMember('selector', selector, conditions.selectorCondition),
  whereMember('slot', storagePosition, (slot) => conditions.slotCondition(bytesToBigInt(slot))),
  whereMember('topic', hash32, (topic) => conditions.topicCondition(bytesToBigInt(topic))),
]

/** All members of `where` must hold for the same step. */
export function whereCodec(members: readonly WhereMember[]): Codec<readonly ConditionMaker[]> {
  const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema]))
  const rows = new Map(members.map((row) => [row.name, row]))
  return parameterCodec({ title: 'Condition', type: 'object', properties }, (value, profile) => {
    const fields = asObject(value, 'where')
    return Object.keys(fields).flatMap((name) => {
      const row = rows.get(name)
      if (row === undefined) throw unexpectedValue(`one of ${[...rows.keys()].join(', ')}`, described(name), 'where')
      return makerIn(fields, row, profile)
    })
  })
}

function makerIn(fields: JsonObject, row: WhereMember, profile: RpcProfile | undefined): ConditionMaker[] {
  const codec = parameterCodec<ConditionMaker>(row.schema, (value, given) => row.parse(value, given))
  const maker = member(fields, row.name, codec, profile)
  return maker === undefined ? [] : [maker]
}

function whereMember<T>(name: string, codec: Codec<T>, make: (value: T) => StepCondition): WhereMember {
  return {
    name,
    schema: codec.schema,
    parse: (value, profile) => {
      const parsed = codec.parse(value, profile)
      return () => make(parsed)
    },
  }
}

/** A member that is true, or has no effect. */
function flag(name: string, make: ConditionMaker): WhereMember {
  return {
    name,
    schema: boolean.schema,
    parse: (value) => (boolean.parse(value) ? make : () => undefined),
  }
}

function oneOrMany<T>(codec: Codec<T>): Codec<readonly T[]> {
  return parameterCodec({ oneOf: [codec.schema, { type: 'array', items: codec.schema }] }, (value, profile) => {
    if (!Array.isArray(value)) return [codec.parse(value, profile)]
    if (value.length > MAX_STEP_ALTERNATIVES)
      throw unexpectedValue(`at most ${MAX_STEP_ALTERNATIVES} values`, `${value.length}`)
    return value.map((item) => codec.parse(item, profile))
  })
}

function integerUpTo(max: number): Codec<number> {
  return parameterCodec({ type: 'integer', minimum: 0, maximum: max }, (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
      throw unexpectedValue(`an integer from 0 to ${max}`, described(value))
    return value
  })
}
