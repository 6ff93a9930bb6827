/**
 * Bounds of IBFT 2.0 and QBFT. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** BFT: rounds in which one validator may have messages of one kind at a time. */
export const MAX_BFT_ROUNDS_AHEAD = 8
/** BFT: interval at which a validator sends its newest messages again. */
export const BFT_REPEAT_MS = 5_000
/** BFT: longest duration of a round, unless the request timeout is longer. */
export const MAX_BFT_ROUND_MS = 60_000
/** BFT: proposals of one round whose blocks may prove invalid before further ones are ignored. */
export const MAX_BFT_FAILED_PROPOSALS = 3
/** BFT: messages of one validator for one later height. */
export const MAX_BFT_FUTURE_PER_AUTHOR = 16
/** BFT: bytes of a header's extra data, which are enough for more than 1,000 validators with their seals. */
export const MAX_BFT_EXTRA_DATA_BYTES = 131_072
/** BFT: bytes of one message, as of the messages of eth: no larger block could be synchronised. */
export const MAX_BFT_MESSAGE_BYTES: number = 10 * MIB
/** BFT: bytes of long messages that are kept to notice their duplicates. */
export const MAX_BFT_LONG_MESSAGES_BYTES: number = 32 * MIB
/** BFT: messages of one peer that wait to be handled. */
export const MAX_BFT_PEER_MESSAGES = 256
/** BFT: bytes of the messages of one peer that wait to be handled. */
export const MAX_BFT_PEER_QUEUE_BYTES: number = 20 * MIB
/** BFT: time for consensus messages before other work has its turn. */
export const BFT_SLICE_MS = 8
/** BFT: bytes of all messages that wait to be handled. */
export const MAX_BFT_QUEUE_BYTES: number = 64 * MIB
/** BFT: bytes of the messages of future heights. */
export const MAX_BFT_FUTURE_BYTES: number = 32 * MIB
/** BFT: sets of validators after recent blocks that are kept in memory. */
export const MAX_CACHED_TALLIES = 128
/** BFT: distance in blocks after which a set of validators is stored. */
export const TALLY_RECORD_INTERVAL = 256
