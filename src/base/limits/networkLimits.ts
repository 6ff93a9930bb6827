/**
 * Bounds of the network: connections, discovery and the protocols between nodes; and of Stratum.
 * @module
 */

const MIB = 1024 * 1024

/** TCP: unsent bytes of one connection; beyond that it is destroyed. */
export const MAX_SOCKET_BACKLOG_BYTES: number = 32 * MIB

/** RLPx: bytes of an auth or ack packet. */
export const MAX_RLPX_HANDSHAKE_BYTES = 4096
/** RLPx: bytes of the Hello, of a message before it, and of other messages of the base protocol. */
export const MAX_HELLO_BYTES = 2048
/** RLPx: body of a frame, whose length has 24 bits. */
export const MAX_RLPX_FRAME_BYTES: number = 2 ** 24 - 1
/** RLPx: body of a frame from a peer that is not admitted yet. */
export const MAX_UNADMITTED_FRAME_BYTES: number = 64 * 1024
/** RLPx: bytes of a message after decompression. */
export const MAX_RLPX_MESSAGE_BYTES: number = 2 ** 24 - 2
/** RLPx: unsent bytes of one peer; a peer with more is dropped. */
export const MAX_RLPX_BACKLOG_BYTES: number = 24 * MIB
/** RLPx: time limit from the connection to the Hello. */
export const RLPX_HELLO_TIMEOUT_MS = 10_000
/** RLPx: silence after which a peer is pinged. */
export const RLPX_PING_INTERVAL_MS = 5_000
/** RLPx: silence after the ping at which the peer is given up. A paused process or machine often continues before. */
export const RLPX_PONG_TIMEOUT_MS = 10_000
/** RLPx: time in which a peer reads at least some of the bytes that wait for it. */
export const RLPX_DELIVERY_TIMEOUT_MS = 120_000
/** RLPx: time in which a Disconnect message must reach the peer. */
export const RLPX_DISCONNECT_TIMEOUT_MS = 2_000

/** Peers: inbound connections that are not admitted yet. */
export const MAX_PENDING_PEERS = 256
/** Peers: such connections from one /24 of IPv4 or /48 of IPv6, or from one IPv4 address or one /64 of a local network. */
export const MAX_PENDING_PEERS_PER_SITE = 32
/**
 * Peers: connections that one address (IPv6: one /64; a /48 twice as many) may open in a burst. Loopback and local addresses
 * are exempt from this and the following limits.
 */
export const INBOUND_ATTEMPT_BURST = 8
/** Peers: time after which such an address may open another one. */
export const INBOUND_ATTEMPT_INTERVAL_MS = 30_000
/** Peers: addresses whose attempts are counted; the least recent ones are forgotten. */
export const MAX_INBOUND_ADDRESSES = 4096
/**
 * Peers: percentage of the inbound places that one site may hold, at least one place. A site is a /24 of IPv4 or a /64 of
 * IPv6; here and below, a /48 of IPv6 may hold twice as much.
 */
export const MAX_SITE_INBOUND_PERCENT = 25
/** Peers: percentage of the places that inbound peers cannot take that one site may hold as outbound peers, at least one. */
export const MAX_SITE_OUTBOUND_PERCENT = 10
/** Peers: nodes that are kept over restarts, one of each site. */
export const MAX_KEPT_NODES = 64
/** Peers: time for which an outbound connection lasts before its node is kept. */
export const KEPT_NODE_CONNECTION_MS = 600_000
/** Peers: the oldest pending connection gives way to a new one after this time, which a handshake rarely needs. */
export const PENDING_PEER_GRACE_MS = 1_000
/** Peers: time limit from the Hello to the admission by the protocols. */
export const PEER_ADMISSION_TIMEOUT_MS = 20_000
/** Peers: milliseconds of computing per second that the messages of each peer may cause. */
export const PEER_WORK_MS_PER_SECOND = 20
/** Peers: such milliseconds that one peer can save. */
export const PEER_WORK_BURST_MS = 1_000
/** Peers: milliseconds of computing per second for the peers that have used up their own. */
export const SHARED_PEER_WORK_MS_PER_SECOND = 400
/** Peers: such milliseconds that can be saved. */
export const SHARED_PEER_WORK_BURST_MS = 1_000
/** Peers: debt of one peer beyond which its messages cost it nothing more. */
export const MAX_PEER_DEBT_MS = 200
/** Peers: such milliseconds that ended connections may have used in advance. */
export const MAX_SHARED_PEER_DEBT_MS = 1_000
/** Peers: milliseconds of computing for messages after which the event loop does other work. */
export const PEER_TURN_MS = 8
/** Peers: outbound connections that are not admitted yet. */
export const MAX_PARALLEL_DIALS = 16
/** Peers: time limit for a TCP connection to a peer. */
export const PEER_CONNECT_TIMEOUT_MS = 10_000
/** Peers: such a limit for maintained peers, which are dialled again: TCP repeats its packets at ever longer intervals. */
export const MAINTAINED_CONNECT_TIMEOUT_MS = 4_000
/** Peers: nodes of DNS lists that are remembered. */
export const MAX_LISTED_NODES = 1024
/** Peers: discovered nodes that may be dialled. */
export const MAX_CHECKED_NODES = 4096
/** Peers: nodes whose failed dials are remembered. */
export const MAX_DIAL_FAILURES = 2048
/** Peers: ids of peers that broke a protocol; the newest are kept. */
export const MAX_MISBEHAVING_PEERS = 500

/** Discovery: nodes of one site in one bucket of a table, and in one lookup. Loopback and local addresses are exempt. */
export const MAX_BUCKET_NODES_PER_SITE = 2
/** Discovery: nodes of one site in one table. */
export const MAX_TABLE_NODES_PER_SITE = 10
/** Discovery: packets per second from one host. */
export const DISCOVERY_HOST_PACKETS_PER_SECOND = 100
/** Discovery: packets that may arrive from one host in a burst. */
export const DISCOVERY_HOST_BURST = 300
/**
 * Discovery: packets per second from all senders without an endpoint proof together. Verifying a signature is the
 * costly part.
 */
export const DISCOVERY_UNPROVEN_PACKETS_PER_SECOND = 500
/** Discovery: packets that may arrive from all such senders in a burst. */
export const DISCOVERY_UNPROVEN_BURST = 1_000
/**
 * Discovery: handshakes of version 5 per second from all senders together. Each costs several operations on the curve.
 */
export const DISCOVERY_HANDSHAKES_PER_SECOND = 50
/** Discovery: such handshakes that may arrive in a burst. */
export const DISCOVERY_HANDSHAKE_BURST = 100
/** Discovery: hosts whose packets are counted; the least recent ones are forgotten. */
export const MAX_DISCOVERY_HOSTS = 4096
/** Discovery: endpoints with a proof in each direction. */
export const MAX_ENDPOINT_PROOFS = 8192
/** Discovery: requests that wait for an answer; with as many, no node is contacted. */
export const MAX_DISCOVERY_REQUESTS = 256
/**
 * Discovery: packets that are examined for one request because they repeat its hash. Nobody can forge the hash blindly,
 * so these packets are not counted with those of unproven senders.
 */
export const MAX_EXAMINED_ANSWERS = 4
/** Discovery: pings among them that go to senders without an endpoint proof. */
export const MAX_ANSWERING_PINGS = 64
/** Discovery: lookups that wait for the current one. */
export const MAX_WAITING_LOOKUPS = 16
/** Discovery: nodes remembered as being on another chain. */
export const MAX_REFUSED_NODES = 1024
/** Discovery: sessions of version 5. */
export const MAX_DISCOVERY_SESSIONS = 1024
/** Discovery: handshakes of version 5 that wait for an answer. */
export const MAX_DISCOVERY_CHALLENGES = 256
/** DNS node lists: entries that one walk reads. */
export const MAX_DNS_LIST_ENTRIES = 5_000
/** DNS node lists: lists that are followed by links. */
export const MAX_DNS_LISTS = 16
/** DNS node lists: depth of a tree. */
export const MAX_DNS_LIST_DEPTH = 16
/** DNS node lists: characters of one text record. */
export const MAX_DNS_TEXT_LENGTH = 4096
/** Protocols between nodes: bytes of one message. */
export const MAX_PROTOCOL_MESSAGE_BYTES: number = 10 * MIB
/** Protocols between nodes: bytes of a request, of an announcement, of a vote, and of an answer that nothing asked for. */
export const MAX_BRIEF_MESSAGE_BYTES: number = MIB
/** Protocols between nodes: RLP items that are decoded from one message. */
export const MAX_PROTOCOL_MESSAGE_ITEMS = 131_072
/** Protocols between nodes: items of one list of hashes, blocks or transactions. */
export const MAX_PROTOCOL_LIST_ITEMS = 16_384
/** Protocols between nodes: transactions, or withdrawals, of one block. */
export const MAX_BLOCK_LIST_ITEMS = 131_072
/** Protocols between nodes: bytes of one header, which are enough for the extra data of every consensus. */
export const MAX_HEADER_BYTES = 135_168
/** eth: headers of one answer, as many as geth serves. */
export const MAX_SERVED_HEADERS = 1024
/** eth: bodies of one answer, as many as Besu serves. */
export const MAX_SERVED_BODIES = 128
/** eth: lists of receipts in one answer, as many as Besu serves. */
export const MAX_SERVED_RECEIPTS = 256
/** eth: pooled transactions of one answer, as many as Besu serves. */
export const MAX_SERVED_POOLED_TRANSACTIONS = 256
/** eth: trie nodes of one answer, as many as Besu serves. */
export const MAX_SERVED_NODES = 384
/** eth: bytes of one answer. */
export const MAX_ETH_ANSWER_BYTES = 10_000_000
/** eth: hashes of one announcement. */
export const MAX_ANNOUNCED_HASHES = 4096
/** eth: hashes of one request of transactions. */
export const MAX_REQUESTED_TRANSACTIONS = 256
/** eth: bytes of one message of transactions. */
export const MAX_TRANSACTIONS_MESSAGE_BYTES: number = MIB
/** eth: locations of trie nodes that recent answers named (GetNodeData). */
export const MAX_NAMED_NODES = 65_536
/** snap: bytes of one answer. */
export const MAX_SNAP_ANSWER_BYTES: number = 512 * 1024
/** snap: look-ups of one request. */
export const MAX_SNAP_LOOKUPS = 1024
/** snap: accounts and slots of one answer: some 10 ms of work without a pause. */
export const MAX_SNAP_ENTRIES = 2048
/** snap: paths of one request of trie nodes. */
export const MAX_SNAP_PATHS = 4096
/** snap: blocks below the head whose states are served. */
export const SNAP_STATE_BLOCKS = 128
/** snap: cache of trie nodes, beside that of the chain. */
export const SNAP_NODE_CACHE_BYTES: number = 16 * MIB
/** eth: requests to one peer that wait for their answer. */
export const MAX_OUTSTANDING_REQUESTS = 5
/** eth: time limit for the answer of a peer. */
export const PEER_REQUEST_TIMEOUT_MS = 5_000
/** eth: timed-out requests to one peer that are still matched to a late answer. */
export const MAX_LATE_REQUESTS = 16
/** Peers: hashes of blocks that each peer is known to have. */
export const MAX_KNOWN_BLOCKS = 300
/** Peers: hashes of transactions that each peer is known to have. */
export const MAX_KNOWN_TRANSACTIONS = 100_000
/** Peers: bytes of gossip that arrive before the head of the peer is known; more is dropped. */
export const MAX_EARLY_GOSSIP_BYTES: number = MIB
/** Peers: waiting requests of one peer at which it is not read from. */
export const SERVED_REQUESTS_PAUSE = 32
/** Peers: waiting requests of one peer at which it is read from again. */
export const SERVED_REQUESTS_RESUME = 8
/** Peers: bytes of the waiting requests of one peer at which it is not read from. */
export const SERVED_REQUEST_BYTES_PAUSE: number = MIB / 2
/** Peers: bytes of the waiting requests of all peers at which no peer may have more than one. */
export const MAX_WAITING_REQUEST_BYTES: number = 16 * MIB
/** Peers: time that answers to peers take before other work runs. */
export const SERVING_SLICE_MS = 8
/** eth: new blocks after which the range of blocks is announced again (eth/69). */
export const BLOCK_RANGE_UPDATE_BLOCKS = 32
/** Sync: headers of one segment, as many as every node serves. */
export const SYNC_SEGMENT_HEADERS = 192
/** Sync: segments of one skeleton. */
export const SYNC_SKELETON_SEGMENTS = 32
/** Sync: segments that are fetched at the same time or wait for the import. */
export const SYNC_SEGMENTS_AHEAD = 8
/** Sync: answers with bodies that are fetched at the same time or wait for the import. */
export const SYNC_BODIES_AHEAD = 12
/** Sync: bytes of bodies that wait for the import. */
export const MAX_SYNC_BODY_BYTES: number = 48 * MIB
/** Sync: bytes that one request of bodies aims at. */
export const SYNC_BODY_ANSWER_BYTES: number = MIB
/** Sync: blocks fetched from one peer's chain before another peer gets its turn. */
export const MAX_SYNC_ROUND_BLOCKS = 65_536
/** Sync: blocks of this chain that another branch may replace. */
export const MAX_SYNC_FORK_BLOCKS = 90_000
/** Sync: headers kept until a branch proves heavier. */
export const MAX_SYNC_BRANCH_HEADERS = 16_384
/** Sync: requests to one peer at the same time. */
export const SYNC_REQUESTS_PER_PEER = 3
/** Sync: time after which a request is repeated to a second peer. */
export const SYNC_HEDGE_MS = 1_000
/** Sync: time after which another chain is followed. */
export const SYNC_TARGET_PATIENCE_MS = 2_000
/** Sync: pause of a peer after a failure. */
export const SYNC_PEER_PAUSE_MS = 5_000
/** Sync: failures in a row after which a peer whose chain was to be followed is dropped. */
export const MAX_SYNC_FAILURES = 3
/** Sync: lead of a peer up to which this node counts as synchronised. */
export const SYNC_TOLERANCE_BLOCKS = 5
/** Sync: time that gossip has to close the lead of a peer. */
export const SYNC_GOSSIP_GRACE_MS = 4_000
/** Sync: time that a peer's claimed lead keeps producers paused before the first block is imported. */
export const SYNC_CLAIM_MS = 15_000
/** Sync: time until another claim of a peer counts. */
export const SYNC_CLAIM_INTERVAL_MS = 600_000
/** Sync: time that a peer's lead keeps producers paused after each imported block. */
export const SYNC_STALL_MS = 30_000
/** Sync: time between two log messages about progress. */
export const SYNC_REPORT_INTERVAL_MS = 10_000
/** Sync: percentage of the peers that may be behind this node while it synchronises. */
export const MAX_TRAILING_PEERS_PERCENT = 25
/** Gossip: unsent bytes of a peer above which it gets no announcements. */
export const MAX_PEER_GOSSIP_BACKLOG_BYTES: number = 2 * MIB
/** Gossip: blocks from one peer per second that are examined. */
export const PEER_BLOCKS_PER_SECOND = 10
/** Gossip: blocks from one peer that may arrive in a burst. */
export const PEER_BLOCK_BURST = 100
/** Gossip: blocks that are validated at the same time; further ones are dropped. */
export const MAX_BLOCKS_IN_VALIDATION = 32
/** Gossip: blocks that wait for their parents. */
export const MAX_WAITING_BLOCKS = 256
/** Gossip: bytes of the blocks that wait for their parents. */
export const MAX_WAITING_BLOCK_BYTES: number = 32 * MIB
/** Gossip: blocks from one peer that wait for their parents. */
export const MAX_PEER_WAITING_BLOCKS = 128
/** Gossip: time that a block waits for its parent. */
export const WAITING_BLOCK_MS = 120_000
/** Gossip: blocks that wait for their timestamps. */
export const MAX_FUTURE_BLOCKS = 16
/** Gossip: maximum time that a block waits for its timestamp. */
export const MAX_FUTURE_BLOCK_MS = 30_000
/** Gossip: invalid blocks that are remembered. */
export const MAX_REFUSED_BLOCKS = 512
/** Gossip: announced blocks that are fetched at the same time. */
export const MAX_BLOCK_FETCHES = 16
/** Gossip: announced blocks that wait to be fetched. */
export const MAX_ANNOUNCED_BLOCKS = 256
/** Gossip: blocks announced by one peer that wait to be fetched. */
export const MAX_PEER_ANNOUNCED_BLOCKS = 32
/** Gossip: time after which an announced block is given up. */
export const BLOCK_FETCH_MS = 60_000
/** Gossip: peers that are asked for an announced block. */
export const MAX_BLOCK_SOURCES = 8
/** Gossip: time in which admitted transactions are collected for their announcement. */
export const TRANSACTION_BATCH_MS = 50
/** Gossip: maximum collection time while further transactions from peers are being admitted. */
export const MAX_TRANSACTION_BATCH_MS = 1000
/** Gossip: transactions that end the collection early. */
export const MAX_BATCHED_TRANSACTIONS = 4096
/** Gossip: bytes of transactions that end the collection early. */
export const MAX_BATCHED_TRANSACTION_BYTES: number = MIB
/** Gossip: bytes of hashes, or of transactions before eth/65, that a peer gets from the pool when it joins. */
export const MAX_PEER_POOL_BYTES: number = 2 * MIB
/** Gossip: transactions of the pool that are sent to joining peers between two yields. */
export const POOL_SLICE_TRANSACTIONS = 512
/** Gossip: bytes of transactions that are sent to joining peers between two yields. */
export const POOL_SLICE_BYTES: number = 128 * 1024
/** Gossip: time in which hashes announced by a peer are collected before they are requested. */
export const ANNOUNCEMENT_COLLECTION_MS = 500
/** Gossip: transactions announced by one peer that wait for their request. */
export const MAX_PEER_ANNOUNCED_TRANSACTIONS = 4096
/** Gossip: transactions announced by all peers that wait for their request. */
export const MAX_ANNOUNCED_TRANSACTIONS = 65_536
/** Gossip: peers that are asked for an announced transaction. */
export const MAX_TRANSACTION_SOURCES = 4
/** Gossip: requests of transactions to one peer at a time. */
export const MAX_TRANSACTION_REQUESTS = 2
/** Gossip: announced bytes of one request of transactions. */
export const MAX_REQUESTED_TRANSACTION_BYTES: number = 2 * MIB
/** Gossip: successive answers without any requested transaction that count as one useless answer. */
export const MAX_EMPTY_TRANSACTION_ANSWERS = 3
/** Gossip: transactions from one peer that wait for admission. */
export const MAX_PEER_WAITING_TRANSACTIONS = 4096
/** Gossip: bytes of the transactions from one peer that wait for admission. */
export const MAX_PEER_WAITING_TRANSACTION_BYTES: number = 8 * MIB
/** Gossip: bytes of the transactions from all peers that wait for admission. */
export const MAX_WAITING_TRANSACTION_BYTES: number = 64 * MIB
/** Gossip: received transactions that have waited longer are dropped. */
export const MAX_TRANSACTION_AGE_MS = 60_000
/** Gossip: transactions whose senders are recovered together. */
export const ADMISSION_BATCH_TRANSACTIONS = 128
/** Gossip: blob transactions from one peer that wait for the verification of their proofs. */
export const MAX_PEER_WAITING_BLOB_TRANSACTIONS = 4
/** Gossip: blob transactions from all peers that wait for the verification of their proofs. */
export const MAX_WAITING_BLOB_TRANSACTIONS = 32
/** Gossip: transactions from one peer per second that are not admitted. */
export const PEER_REFUSALS_PER_SECOND = 200
/** Gossip: transactions from one peer that may arrive in a burst and not be admitted. */
export const PEER_REFUSAL_BURST = 8192
/** Gossip: refused and mined transactions that are not requested. */
export const MAX_REFUSED_TRANSACTIONS = 65_536
/** Gossip: time after which a refused or mined transaction is forgotten. */
export const REFUSED_TRANSACTION_MS = 60_000

/** Stratum: connections; further ones are closed immediately. */
export const MAX_STRATUM_CONNECTIONS = 1024
/**
 * Stratum: connections from one site (a /24 of IPv4, a /64 of IPv6, one IPv4 address of a local network). A /48 of IPv6 may
 * hold twice as many.
 */
export const MAX_STRATUM_CONNECTIONS_PER_SITE = 128
/** Stratum: bytes of one line, of the head of an HTTP request, and of its body; a longer one ends the connection. */
export const MAX_STRATUM_LINE_BYTES = 8192
/** Stratum: unsent bytes to one miner; with more, the connection is closed. */
export const MAX_STRATUM_BACKLOG_BYTES = 65_536
/** Stratum: time from the connection to the end of the first message, and between two requests over HTTP. */
export const STRATUM_IDLE_MS = 30_000
/** Stratum: time from the start of a message to its end. */
export const STRATUM_MESSAGE_MS = 30_000
/** Stratum: time from the connection to the request for work. */
export const STRATUM_LOGIN_MS = 60_000
/** Stratum: time without a message after which a miner that has found no block is closed. */
export const STRATUM_SILENCE_MS = 900_000
/** Stratum: interval between checks of these times. */
export const STRATUM_SWEEP_MS = 5_000
/** Stratum: invalid shares of one site per minute; further connections of the site are refused until then. */
export const MAX_STRATUM_INVALID_SHARES = 64
