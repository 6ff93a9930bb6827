import type { LogNode } from '../nodes.ts'
import type { AtBlock, Resolver, Resolvers } from '../resolver.ts'
import { accountAt } from './lookups.ts'

const account: Resolver<LogNode, AtBlock> = ({ block, view }, args, request) =>
  accountAt(request, view.log.address, args.block, () => block)

export const logResolvers: Resolvers<LogNode> = {
  index: ({ view }) => view.logIndex,
  account,
  topics: ({ view }) => view.log.topics,
  data: ({ view }) => view.log.data,
  transaction: ({ block, view }) => block.transaction(view.transactionIndex),
}
