import type { GraphqlRequest } from './graphqlRequest.ts'

/** Value of a field; null and undefined are null in the answer. May throw `StoreMiss`. */
export type Resolver<Source, Args> = (source: Source, args: Args, request: GraphqlRequest) => unknown

/** Resolvers by field. Fields without a resolver are read from the source. */
export type Resolvers<Source> = Readonly<Record<string, Resolver<Source, never>>>

/** An argument or a member of an input object that may be omitted. */
export type Omittable<T> = T | null | undefined

export interface AtBlock {
  readonly block?: Omittable<bigint>
}

export interface ByAddress {
  readonly address: Uint8Array
}

export interface ByIndex {
  readonly index: number
}
