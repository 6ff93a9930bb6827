/**
 * The conditions of txpool_nodePendingTransactions: `{ field: { operator: value } }`. All of them must hold.
 * @see docs/reference/eth-objects.md section 12
 * @module
 */

import { invalidParams, unexpectedValue } from '../../api/errors.ts'
import type { RpcProfile } from '../../api/profile.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { described } from '../../base/primitives/printable.ts'
import type { PooledTransaction } from '../../txpool/contract.ts'
import type { Codec, JsonSchema } from '../method.ts'
import { address, uint64, wei } from './scalars.ts'
import { ADDRESS, UINT256 } from './schemas.ts'
import { asObject, parameterCodec } from './support.ts'

export type PoolCondition = (pooled: PooledTransaction) => boolean

type Operator = 'eq' | 'gt' | 'lt' | 'action'
type Field = (operator: Operator, value: unknown, profile: RpcProfile | undefined) => PoolCondition

const OPERATORS: readonly string[] = ['eq', 'gt', 'lt', 'action']

/** @param amountOf undefined: never matches */
function amount(codec: Codec<bigint>, amountOf: (pooled: PooledTransaction) => bigint | undefined): Field {
  return (operator, value) => {
    if (operator === 'action') throw invalidParams('action is an operator of `to` only')
    const bound = codec.parse(value)
    return (pooled) => {
      const amount = amountOf(pooled)
      if (amount === undefined) return false
      if (operator === 'eq') return amount === bound
      return operator === 'gt' ? amount > bound : amount < bound
    }
  }
}

function sender(operator: Operator, value: unknown, profile: RpcProfile | undefined): PoolCondition {
  if (operator !== 'eq') throw unexpectedValue('the operator eq', operator, 'from')
  const expected = address.parse(value, profile)
  return (pooled) => equalBytes(pooled.sender, expected)
}

function receiver(operator: Operator, value: unknown, profile: RpcProfile | undefined): PoolCondition {
  // The only action is contract creation; the value is ignored.
  if (operator === 'action') return ({ transaction }) => transaction.to === undefined
  if (operator !== 'eq') throw unexpectedValue('the operator eq or action', operator, 'to')
  const expected = address.parse(value, profile)
  return ({ transaction: { to } }) => to !== undefined && equalBytes(to, expected)
}

const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['from', sender],
  ['to', receiver],
  ['gas', amount(wei, ({ transaction }) => transaction.gasLimit)],
  ['gasPrice', amount(wei, ({ transaction }) => ('gasPrice' in transaction ? transaction.gasPrice : undefined))],
  ['value', amount(wei, ({ transaction }) => transaction.value)],
  ['nonce', amount(uint64, ({ transaction }) => transaction.nonce)],
])

function condition(
  name: string,
  field: Field,
  given: unknown,
  profile: RpcProfile | undefined,
): PoolCondition | undefined {
  const operators = Object.entries(asObject(given, name))
  const [first] = operators
  if (first === undefined) return undefined
  if (operators.length > 1) throw unexpectedValue('one operator', String(operators.length), name)
  const operator = first[0].toLowerCase()
  if (!OPERATORS.includes(operator))
    throw unexpectedValue(`one of the operators ${OPERATORS.join(', ')}`, described(operator), name)
  return field(operator as Operator, first[1], profile)
}

function operands(names: readonly string[], schema: JsonSchema): JsonSchema {
  return { type: 'object', maxProperties: 1, properties: Object.fromEntries(names.map((name) => [name, schema])) }
}

const AMOUNT = operands(['eq', 'gt', 'lt'], UINT256)

/** Ignores unknown fields and fields without an operator. */
export const poolConditions: Codec<readonly PoolCondition[]> = parameterCodec(
  {
    title: 'PoolConditions',
    type: 'object',
    properties: {
      from: operands(['eq'], ADDRESS),
      to: {
        type: 'object',
        maxProperties: 1,
        properties: { eq: ADDRESS, action: { type: 'string', enum: ['contract_creation'] } },
      },
      gas: AMOUNT,
      gasPrice: AMOUNT,
      value: AMOUNT,
      nonce: AMOUNT,
    },
  },
  (value, profile) => {
    const conditions: PoolCondition[] = []
    for (const [name, given] of Object.entries(asObject(value, 'fields'))) {
      const field = FIELDS.get(name)
      const parsed = field && condition(name, field, given, profile)
      if (parsed !== undefined) conditions.push(parsed)
    }
    return conditions
  },
)
