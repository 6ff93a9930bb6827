import { buildSchema, type GraphQLField, type GraphQLSchema, isObjectType, isScalarType } from 'graphql'
import type { GraphqlRequest } from './graphqlRequest.ts'
import type { Resolver } from './resolver.ts'
import { accountResolvers } from './resolvers/account.ts'
import { blockResolvers } from './resolvers/block.ts'
import { logResolvers } from './resolvers/log.ts'
import { pendingResolvers } from './resolvers/pending.ts'
import { mutationResolvers, queryResolvers } from './resolvers/query.ts'
import { transactionResolvers } from './resolvers/transaction.ts'
import { attachScalar } from './scalars.ts'
import { SCHEMA } from './schema.ts'

type FieldResolvers = Readonly<Record<string, Resolver<never, never>>>

const RESOLVERS: Readonly<Record<string, FieldResolvers>> = {
  Query: queryResolvers,
  Mutation: mutationResolvers,
  Pending: pendingResolvers,
  Block: blockResolvers,
  Transaction: transactionResolvers,
  Account: accountResolvers,
  Log: logResolvers,
}

/** The schema with its resolvers; each is subject to the limits of its request. */
export function executableSchema(): GraphQLSchema {
  const schema = buildSchema(SCHEMA)
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type)) attachScalar(type)
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) attach(field, RESOLVERS[type.name]?.[field.name])
  }
  return schema
}

function attach(field: GraphQLField<unknown, unknown>, resolver: Resolver<never, never> | undefined): void {
  const { name } = field
  const resolve = (resolver ?? ((source: Record<string, unknown>) => source[name])) as Resolver<unknown, unknown>
  field.resolve = (source, args, context) => {
    const request = context as GraphqlRequest
    return request.field(() => resolve(source, args, request) as never)
  }
}
