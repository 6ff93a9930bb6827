import type { BlockNumberOrTag } from '../../api/blockReference.ts'
import { pendingOf } from '../../api/lookup.ts'
import type { GraphqlRequest } from '../graphqlRequest.ts'
import { AccountNode, type WaitingNode } from '../nodes.ts'
import type { ByAddress, Resolver, Resolvers } from '../resolver.ts'
import { type CallArgs, runCall, runEstimate } from './calls.ts'

const PENDING: BlockNumberOrTag = { kind: 'tag', tag: 'pending' }

/** Read from the state of the pending block, or of the head if the node has none. */
const account: Resolver<object, ByAddress> = (_, { address }, request) => {
  const { chain, pending } = request.backend
  const header = pendingOf(PENDING, pending)?.header ?? chain.head
  return new AccountNode(address, () => request.state(header))
}

function transactions(_: object, __: unknown, { backend: { pool } }: GraphqlRequest): WaitingNode[] {
  return [...pool.transactions()].sort((a, b) => a.sequence - b.sequence).map((pooled) => ({ kind: 'waiting', pooled }))
}

const call: Resolver<object, CallArgs> = (_, args, request) => runCall(request, PENDING, args)

const estimateGas: Resolver<object, CallArgs> = (_, args, request) => runEstimate(request, PENDING, args)

export const pendingResolvers: Resolvers<object> = {
  transactionCount: (_, __, { backend }) => backend.pool.size,
  transactions,
  account,
  call,
  estimateGas,
}
