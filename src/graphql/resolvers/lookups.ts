/**
 * Look-ups that several types share.
 * @module
 */

import { invalidParams } from '../../api/errors.ts'
import { LogMatcher } from '../../api/logMatcher.ts'
import { findHeader } from '../../api/lookup.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { GraphqlRequest } from '../graphqlRequest.ts'
import type { AccountNode, BlockNode, MinedNode } from '../nodes.ts'
import type { AtBlock, Omittable } from '../resolver.ts'

/** A canonical block; undefined when there is none with this number. */
function headerAt({ chain }: GraphqlRequest, number: bigint): ChainHeader | undefined {
  return findHeader(chain, { kind: 'number', number: Number(number) })
}

/** @throws {NodeError} GRAPHQL_BLOCK_NOT_FOUND */
export function requireNumber(request: GraphqlRequest, number: bigint): BlockNode {
  const header = headerAt(request, number)
  if (header === undefined) throw notFound(`Block number ${number} was not found`)
  return request.block(header)
}

export function notFound(message: string): NodeError {
  return new NodeError({ code: 'GRAPHQL_BLOCK_NOT_FOUND' }, message)
}

/** An account at the block of an argument. @throws {NodeError} INVALID_PARAMS for a block beyond the head */
export function accountAt(
  request: GraphqlRequest,
  address: Uint8Array,
  number: Omittable<bigint>,
  fallback: () => BlockNode,
): AccountNode {
  if (typeof number !== 'bigint') return request.account(address, fallback())
  const header = headerAt(request, number)
  if (header === undefined) throw invalidParams(`block number ${number} was not found`)
  return request.account(address, request.block(header))
}

/** @param address undefined: there is no account */
export function optionalAccountAt(
  request: GraphqlRequest,
  address: Uint8Array | undefined,
  { block }: AtBlock,
  fallback: () => BlockNode,
): AccountNode | undefined {
  return address && accountAt(request, address, block, fallback)
}

export function headNode(request: GraphqlRequest): BlockNode {
  return request.block(request.chain.head)
}

/** A canonical transaction; undefined when it is unknown or not mined. */
export function minedNode(request: GraphqlRequest, hash: Uint8Array): MinedNode | undefined {
  const location = request.chain.transactionLocation(hash)
  const header = location && request.chain.headerByHash(location.blockHash)
  return header && request.block(header).transaction(location.index)
}

/** Addresses and topics of a filter. */
export interface LogCriteria {
  readonly addresses?: Omittable<readonly Uint8Array[]>
  readonly topics?: Omittable<readonly (readonly Uint8Array[])[]>
}

/** An empty list of alternatives matches any topic. */
export function matcherOf({ addresses, topics }: LogCriteria): LogMatcher {
  return new LogMatcher({
    addresses: addresses ?? [],
    topics: (topics ?? []).map((alternatives) => (alternatives.length === 0 ? undefined : alternatives)),
  })
}
