import type { AccountNode } from '../nodes.ts'
import type { Resolver, Resolvers } from '../resolver.ts'

interface StorageArgs {
  readonly slot: Uint8Array
}

const storage: Resolver<AccountNode, StorageArgs> = ({ state, address }, { slot }) => state.getStorage(address, slot)

export const accountResolvers: Resolvers<AccountNode> = {
  address: ({ address }) => address,
  balance: ({ account }) => account?.balance ?? 0n,
  transactionCount: ({ account }) => account?.nonce ?? 0n,
  code: ({ state, address }) => state.getCode(address),
  storage,
}
