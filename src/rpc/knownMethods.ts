/**
 * Methods without a definition: this node does not implement them, but clients must not be told that no node has them.
 * @module
 */

/** The interface of a consensus client. */
const ENGINE_METHODS =
  'exchangeCapabilities exchangeTransitionConfigurationV1 forkchoiceUpdatedV1 forkchoiceUpdatedV2 ' +
  'getPayloadBodiesByHashV1 getPayloadBodiesByRangeV1 getPayloadV1 getPayloadV2 newPayloadV1 newPayloadV2'

/** Answered like a method whose group is off. */
export const UNIMPLEMENTED_METHODS: ReadonlySet<string> = new Set(
  ENGINE_METHODS.split(' ').map((name) => `engine_${name}`),
)

/** Each has its own error (code of rpc/errorTable.ts). */
export const UNSUPPORTED_METHODS: ReadonlyMap<string, string> = new Map([
  ['eth_sendTransaction', 'SEND_TRANSACTION_NOT_AVAILABLE'],
])
