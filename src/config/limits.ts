/**
 * Bounds of every queue, cache and buffer, in one place. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Chain: decoded blocks kept in memory. */
export const HEADER_CACHE_ITEMS = 8192
export const BODY_CACHE_BYTES: number = 12 * MIB
export const RECEIPT_CACHE_BYTES: number = 12 * MIB
export const SENDER_CACHE_BYTES: number = 4 * MIB

/** Chain: jobs that wait for the one writer, in each of its lanes; more are refused. */
export const MAX_WRITER_QUEUE = 1024
/** Chain: urgent jobs that the writer runs before an ordinary one that waits has its turn. */
export const MAX_URGENT_RUN = 16
/** Chain: blocks that are executed and not committed, and what they hold together (estimate). */
export const MAX_CANDIDATES = 64
export const MAX_CANDIDATE_BYTES: number = 256 * MIB
/** Chain: a run of blocks is committed when it has one of these. */
export const MAX_RUN_BLOCKS = 1024
export const MAX_RUN_KEYS = 65_536
export const MAX_RUN_BYTES: number = 32 * MIB
export const MAX_RUN_MS = 500
/** Chain: a move of the head over at most this many blocks, removed and added ones together, is one batch. */
export const MAX_ATOMIC_MOVE_BLOCKS = 1024
/** Chain: blocks of one batch of a longer move. */
export const MAX_MOVE_STEP_BLOCKS = 256
/** Chain: blocks that are made one after the other are committed together for so long; their senders wait. */
export const MAX_SEAL_RUN_MS = 20
/** Chain: rejected blocks kept for debug_getBadBlocks. */
export const MAX_BAD_BLOCKS = 100

/** Index: entries of a section that one step puts in order (some milliseconds). */
export const INDEX_STEP_ENTRIES = 32_768
/** Index: blocks of an older database that one step fills in, beside a new block and in the background. */
export const INDEX_STEP_FILLED_BLOCKS = 2
export const INDEX_BACKFILL_BLOCKS = 32
export const INDEX_BACKFILL_BYTES: number = MIB / 4
/** Index: how often the log tells how far its completion has come. */
export const INDEX_REPORT_INTERVAL_MS = 10_000
/** Index: sections and rows that a look-up reads at once. */
export const INDEX_LOOKUP_SECTIONS = 32
export const INDEX_LOOKUP_ROWS = 256

/** Import: blocks handed to the writer at once, and how many such chunks are prepared ahead. */
export const IMPORT_CHUNK_BLOCKS = 256
export const IMPORT_CHUNK_BYTES: number = 4 * MIB
export const IMPORT_CHUNK_GAS = 100_000_000n
export const IMPORT_CHUNKS_AHEAD = 3

/** HTTP: body of one request. */
export const MAX_HTTP_BODY_BYTES: number = 5 * 1024 * 1024
/** Requests of one JSON-RPC batch over HTTP; a larger batch is refused as a whole. */
export const MAX_BATCH_ITEMS = 1024
/** Characters of one batch response; what comes after is answered with an error per request. */
export const MAX_BATCH_RESPONSE_LENGTH: number = 64 * 1024 * 1024
/** Nesting of arrays and objects in a JSON request. */
export const MAX_JSON_DEPTH = 256
/** Digits (with sign, point and exponent) of one number in a JSON request. */
export const MAX_JSON_NUMBER_LENGTH = 1000
/** A batch that has worked for so long lets other requests go first. */
export const RPC_TIME_SLICE_MS = 8
/** Processing of one HTTP request. */
export const HTTP_PROCESSING_TIMEOUT_MS = 300_000
/** A response that is sent while it is made: bytes that may wait for its reader, beside the chunk that is being sent. */
export const STREAM_PENDING_BYTES: number = 256 * 1024
/** Time a client has to take what was sent to it, one chunk (64 KiB) of a streamed response; then it is cut off. */
export const RESPONSE_STALL_MS = 60_000
/** Characters of a batch answer from which on it is sent while it is made. */
export const BATCH_STREAM_LENGTH: number = 64 * 1024
/**
 * Bytes that wait to be sent over all connections. Beyond it the connection with the most is ended; from half on no work
 * for an answer begins, from a quarter on none for connections that have not read what they got.
 */
export const MAX_OUTBOUND_BYTES: number = 256 * MIB
/** While more waits to be sent over one connection, no work for a further answer begins. */
export const MAX_CONNECTION_BACKLOG_BYTES: number = MIB
/** A connection that takes nothing for this long is ended from a quarter of MAX_OUTBOUND_BYTES on, and from half on. */
export const OUTBOUND_STALL_MS = 5_000
export const OUTBOUND_URGENT_STALL_MS = 1_000
/** How often stalled connections are looked for. */
export const OUTBOUND_CHECK_MS = 100
/** Times that one call may be run again because its store had to fetch something. */
export const MAX_STORE_MISSES_PER_CALL = 10_000

/** Connections to one HTTP server; further ones are closed at once. */
export const MAX_HTTP_CONNECTIONS = 80
/** Requests that wait on one HTTP connection because its client does not read, and their bodies; beyond it is ended. */
export const MAX_PIPELINED_REQUESTS = 4096
export const MAX_PIPELINED_BYTES: number = 8 * MIB
/** What an answer that waits to be sent takes beside its text (estimate). */
export const RESPONSE_OVERHEAD_BYTES = 4096
/** Header lines of one HTTP request. */
export const MAX_HTTP_HEADER_BYTES: number = 16 * 1024
/** Time a client has for its header lines. */
export const HTTP_HEADERS_TIMEOUT_MS = 15_000
/** Time a client has for a whole request. */
export const HTTP_REQUEST_TIMEOUT_MS = 60_000
/** An idle connection is kept for so long. */
export const HTTP_KEEP_ALIVE_TIMEOUT_MS = 75_000
/** A refused request may go on sending for so long before its connection is closed. */
export const HTTP_LINGER_MS = 2_000
/** Time that requests in progress have to finish when a server closes. */
export const HTTP_DRAIN_TIMEOUT_MS = 5_000

/** WebSocket connections to one node; further ones are closed at once. */
export const MAX_WEBSOCKET_CONNECTIONS = 80
/** One frame of a WebSocket, and how many of them a message may be as long as. */
export const MAX_WEBSOCKET_FRAME_BYTES: number = MIB
export const MAX_WEBSOCKET_MESSAGE_FRAMES = 4
/** Messages of one connection in progress at a time; further ones wait. */
export const MAX_WEBSOCKET_RUNNING_MESSAGES = 256
/** Messages of one connection that wait (estimate): from the first on it is not read, at the second it is ended. */
export const WEBSOCKET_PAUSE_BYTES: number = MIB
export const MAX_WEBSOCKET_WAITING_BYTES: number = 16 * MIB
/** While so much waits to be sent over a connection, none of its messages is begun. */
export const WEBSOCKET_BACKLOG_BYTES: number = MIB
/** What may wait to be sent over one connection, its largest message not counted; beyond it the connection is ended. */
export const MAX_WEBSOCKET_BACKLOG_BYTES: number = 16 * MIB
/** Processing of one WebSocket message, and what an aborted one has left to end by itself. */
export const WEBSOCKET_PROCESSING_TIMEOUT_MS = 300_000
export const WEBSOCKET_ABORT_MS = 2_000
/** A connection is pinged so often, and ended when so many pings in a row were not answered. */
export const WEBSOCKET_PING_INTERVAL_MS = 30_000
export const MAX_WEBSOCKET_MISSED_PINGS = 2
/** Time that clients have to answer the close frame when a server closes. */
export const WEBSOCKET_CLOSE_TIMEOUT_MS = 1_000

/** Pool: all transactions together with their blobs; beyond it some are evicted. */
export const MAX_POOL_BYTES: number = 256 * MIB
/** Pool: mined transactions that come back as they were when their block is removed. */
export const MINED_MEMORY_BYTES: number = 8 * MIB
/** Pool: senders of whom an invalid transaction of the network is remembered. */
export const INVALID_NONCE_SENDERS = 8192

/** Storage: entries that a range on disk reads ahead. */
export const MAX_RANGE_CHUNK = 256
/** Storage: age of the snapshot that a reading thread sees. */
export const READER_SNAPSHOT_MS = 5000

/** Sender recovery: tasks that wait for a worker thread; a batch beyond it is done by its caller. */
export const MAX_RECOVERY_QUEUE_TASKS = 131_072

/** Request workers: threads at most, requests that one of them has under way, and requests that wait for one. */
export const MAX_REQUEST_WORKERS = 8
export const MAX_REQUESTS_PER_WORKER = 32
export const MAX_REQUEST_QUEUE = 1024
/** Request workers: bytes of one answer that are sent ahead of what its reader has taken. */
export const REQUEST_WORKER_CREDIT_BYTES: number = 256 * 1024
/** Request workers: blocks of which is remembered who has traced them. */
export const REQUEST_WORKER_SUBJECTS = 256
/** Blob transactions whose proofs are being verified; a further one is refused. */
export const MAX_BLOB_VERIFICATIONS = 64
/** The thread that verifies blobs ends after so long without work. */
export const BLOB_WORKER_IDLE_MS = 60_000

/** Request workers: a thread without work ends after so long; one that is told to end has so long to do it. */
export const REQUEST_WORKER_IDLE_MS = 60_000
export const REQUEST_WORKER_CLOSE_MS = 1_000
/** Request workers: decoded trie nodes kept in memory by each (estimate). */
export const READER_NODE_CACHE_BYTES: number = 32 * MIB

/** Ethash: caches kept, 16 MiB and more each; two, because ommers and reorganisations cross epochs. */
export const MAX_ETHASH_CACHES = 2

/** Import: one block of a file; what claims to be longer is not a block. */
export const MAX_IMPORT_BLOCK_BYTES: number = 64 * 1024 * 1024

/** Traces: what transactions of blocks that were traced lately did to the state, so that they are not run again (estimate). */
export const TRACED_CHANGES_BYTES: number = 64 * MIB

/** Accounts or slots of one debug_accountRange or debug_storageRangeAt. */
export const MAX_STATE_RANGE_ITEMS = 8192
/** Slots of one eth_getStorageValues, all accounts together. */
export const MAX_STORAGE_VALUES = 1024
/** Blocks and percentiles of one eth_feeHistory. */
export const MAX_FEE_HISTORY_BLOCKS = 1024
export const MAX_FEE_HISTORY_PERCENTILES = 100
/** Blocks of one eth_simulateV1, those that fill gaps included. */
export const MAX_SIMULATED_BLOCKS = 256
/** Addresses of a log filter, topics of each of its positions, and positions. */
export const MAX_FILTER_ALTERNATIVES = 1000
export const MAX_FILTER_TOPICS = 16
/** Blocks, and logs of blocks that may match, that eth_getLogs looks through without a break. */
export const LOG_SCAN_BLOCKS = 2048
export const LOG_SCAN_LOGS = 8192
/** Blocks whose logs it reads at once. */
export const LOG_SCAN_READS = 16
/** trace_filter lets other requests go first after so many blocks without transactions, and after each with some. */
export const TRACE_SCAN_BLOCKS = 64
/** Text of one answer with logs. */
export const MAX_LOG_TEXT_LENGTH: number = 128 * MIB
/** Logs of one eth_getLogs or eth_getFilterLogs. */
export const MAX_LOG_RESULTS = 500_000

/** Filters that are installed at a time, and the addresses and topics that they hold together. */
export const MAX_FILTERS = 10_000
export const MAX_FILTER_CRITERIA = 1_000_000
/** Transactions or logs that wait for one filter; when there are more, it is removed. */
export const MAX_FILTER_ITEMS = 100_000
/** Blocks that wait for filters; one that is further behind is removed. */
export const MAX_FILTER_BLOCKS = 16_384
/** A filter that is not polled for so long is removed; looked for at most so often. */
export const FILTER_TIMEOUT_MS = 600_000
export const FILTER_SWEEP_INTERVAL_MS = 10_000
/** Subscriptions of one connection, and the addresses and topics that they hold together. */
export const MAX_SUBSCRIPTIONS_PER_CONNECTION = 1024
export const MAX_SUBSCRIPTION_CRITERIA = 65_536

/** State: decoded trie nodes kept in memory (estimate). */
export const TRIE_NODE_CACHE_BYTES: number = 128 * MIB
/** State: contract code kept in memory. */
export const CODE_CACHE_BYTES: number = 32 * MIB
/** State: roots whose cached nodes stay within reach. */
export const STATE_ROOT_CACHE_ITEMS = 256
/** State: states that are read again and again, and what is remembered of each. */
export const RECENT_STATES = 4
export const RECENT_STATE_ACCOUNTS = 16_384
export const RECENT_STATE_SLOTS = 32_768
/** Storage: entries, and bytes of them, that one batch of a migration reads. */
export const MIGRATION_BATCH_KEYS = 4096
export const MIGRATION_BATCH_BYTES: number = 4 * MIB
/** State: hashes of addresses, and as many of slots, that are remembered; a power of 4. */
export const KEY_HASH_CACHE_ITEMS = 4096
/** State: blocks that the flat view walks back to come to where the head stands. */
export const MAX_FLAT_UNWIND_BLOCKS = 4096
/** Native execution engine: instances kept between messages, none of them larger. */
export const MAX_IDLE_NATIVE_INSTANCES = 4
export const MAX_IDLE_NATIVE_INSTANCE_BYTES: number = 64 * MIB
/** Keccak-256 of the native engine: room for input at first, and at most; anything longer is hashed elsewhere. */
export const INITIAL_NATIVE_KECCAK_BYTES: number = 64 * 1024
export const MAX_NATIVE_KECCAK_BYTES: number = 8 * MIB
/** Storage: what a store that is not in memory (IndexedDB, Redis, KV) keeps of itself there. */
export const RESIDENT_STORE_BYTES: number = 64 * MIB
export const RESIDENT_RANGE_BYTES: number = 16 * MIB
/** Storage: requests that one read or write of many keys sends to a remote store at once. */
export const UNSTORAGE_PARALLEL_REQUESTS = 256

/** Workers: what a read-only node reads from its namespace, whose values are at most 25 MiB. */
export const MAX_MIRROR_GENESIS_BYTES: number = 8 * MIB
export const MAX_MIRROR_BLOCKS_BYTES: number = 25 * MIB
/** Workers: a chain that could not be opened is tried again after so long. */
export const MIRROR_RETRY_MS = 10_000
/** Browser: a tab that is being closed or reloaded has so long to give its database free. */
export const DATABASE_LOCK_WAIT_MS = 2_000

/** Pending block: time in which transactions are put into one, and how long one is shown while nothing changes. */
export const MAX_PENDING_BUILD_MS = 500
export const PENDING_BLOCK_AGE_MS = 1_000
/** Pending block: after so many that were overtaken by changes of pool or head the last one is shown. */
export const MAX_PENDING_BUILDS_IN_A_ROW = 3
/** TCP: bytes that may wait to be sent over one connection; it is destroyed beyond them. */
export const MAX_SOCKET_BACKLOG_BYTES: number = 32 * MIB

/** Metrics: series that are kept in memory. */
export const MAX_METRIC_SERIES = 4096

/** Dev chain: accounts that are impersonated at once. */
export const MAX_IMPERSONATED_ACCOUNTS = 65_536
/** Dev chain: blocks that one request mines. */
export const MAX_MINED_BLOCKS_PER_REQUEST = 100_000
/** Dev chain: struct types of one EIP-712 message. */
export const MAX_TYPED_DATA_TYPES = 256

/** Time that a synchronous transaction may wait for its block: without a wish of the client, and at most. */
export const DEFAULT_RECEIPT_WAIT_MS = 20_000
export const MAX_RECEIPT_WAIT_MS = 60_000

/** Dev chain: snapshots that can be gone back to; the oldest gives way. */
export const MAX_SNAPSHOTS = 4096

/** Pool: how often transactions that have waited too long are looked for. */
export const POOL_SWEEP_INTERVAL_MS = 60_000

/** MODEXP before EIP-7823: longest base and modulus. What they cost is far above the gas of any block. */
export const MAX_MODEXP_OPERAND_BYTES: number = 16 * MIB

/** Traces of calls: call data, code and output of all calls of one transaction, held until it is over (estimate). */
export const MAX_CALL_TRACE_BYTES: number = 64 * MIB

/** Trace files (debug_standardTraceBlockToFile): all that are kept together, and what each counts as at least. */
export const MAX_TRACE_FILES_BYTES: number = 16 * 1024 * MIB
export const TRACE_FILE_BLOCK_BYTES = 4096
/** Trace files: bytes that may wait to be written before the execution does. */
export const TRACE_FILE_PENDING_BYTES: number = MIB
