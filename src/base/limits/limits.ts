/**
 * Bounds of every queue, cache and buffer. The other files of this folder have those of one subject each. Sizes are bytes
 * unless the name says otherwise.
 * @module
 */

export * from './abiLimits.ts'
export * from './bftLimits.ts'
export * from './browserLimits.ts'
export * from './devLimits.ts'
export * from './enclaveLimits.ts'
export * from './evmLimits.ts'
export * from './forkLimits.ts'
export * from './forkMemoryLimits.ts'
export * from './httpWorkerLimits.ts'
export * from './memoryLimits.ts'
export * from './mirrorLimits.ts'
export * from './networkLimits.ts'
export * from './objectLimits.ts'
export * from './otsLimits.ts'
export * from './pruningLimits.ts'
export * from './publisherLimits.ts'
export * from './remoteLimits.ts'
export * from './replayLimits.ts'
export * from './sharingLimits.ts'
export * from './stepLimits.ts'
export * from './verifiedLimits.ts'
export * from './workerLimits.ts'

const MIB = 1024 * 1024

/** Chain: decoded headers kept in memory (estimate). */
export const HEADER_CACHE_BYTES: number = 32 * MIB
/** Chain: decoded bodies kept in memory. */
export const BODY_CACHE_BYTES: number = 12 * MIB
/** Chain: decoded receipts kept in memory. */
export const RECEIPT_CACHE_BYTES: number = 12 * MIB
/** Chain: senders of transactions kept in memory. */
export const SENDER_CACHE_BYTES: number = 4 * MIB
/** Chain: encoded receipts of blocks whose logs were searched. */
export const LOG_CACHE_BYTES: number = 7 * MIB
/** Chain: hashes and index terms of recent blocks that were searched. */
export const RECENT_TERMS_BYTES: number = MIB
/** Chain: recent blocks whose hashes and index terms are kept in memory. */
export const MAX_RECENT_BLOCKS = 512

/** Chain: tasks in each lane of the writer's queue; further ones are refused. */
export const MAX_WRITER_QUEUE = 1024
/** Chain: urgent tasks that may precede a waiting ordinary one. */
export const MAX_URGENT_RUN = 16
/** Chain: candidates, the blocks that were executed but not committed. */
export const MAX_CANDIDATES = 64
/** Chain: total size of all candidates (estimate). */
export const MAX_CANDIDATE_BYTES: number = 256 * MIB
/** Chain: blocks of a run after which it is committed. */
export const MAX_RUN_BLOCKS = 1024
/** Chain: changed keys of a run after which it is committed. */
export const MAX_RUN_KEYS = 65_536
/** Store on disk: keys from which a batch is committed on a thread: some 5 ms of work. */
export const COMMIT_THREAD_KEYS = 1024
/** Store on disk: time without a commit after which the thread for commits ends. */
export const COMMIT_THREAD_IDLE_MS = 60_000
/** Store on disk: time after which copying a batch for the thread yields. */
export const COMMIT_SLICE_MS = 8
/** Chain: slots and changed accounts of a block from which its state is hashed and committed in slices. */
export const LARGE_STATE_ENTRIES = 512
/** Chain: bytes of a run after which it is committed. */
export const MAX_RUN_BYTES: number = 32 * MIB
/** Chain: time after which a run of blocks is committed. */
export const MAX_RUN_MS = 500
/** Chain: a change of the head is one atomic batch if it removes and adds at most this number of blocks in total. */
export const MAX_ATOMIC_MOVE_BLOCKS = 1024
/** Chain: blocks per batch of a longer change of the head. */
export const MAX_MOVE_STEP_BLOCKS = 256
/** Chain: time during which consecutive sealed blocks are collected for one commit; their submitters wait for it. */
export const MAX_SEAL_RUN_MS = 20
/** Dev chain: the same for the blocks of one request; transactions that arrive meanwhile wait for it. */
export const MAX_MINE_RUN_MS = 100
/**
 * Chain: time after which a run of sealed blocks yields. Hosts accept one connection per turn of the event loop, so
 * clients that connect in a burst wait for one slice each.
 */
export const SEAL_SLICE_MS = 2
/** Chain: rejected blocks kept for debug_getBadBlocks. */
export const MAX_BAD_BLOCKS = 100
/** Chain: RLP of all these blocks. A larger one is not kept. */
export const BAD_BLOCK_BYTES: number = 16 * MIB

/** Clique: sets of signers with their votes that are kept in memory, one per block. */
export const CLIQUE_SNAPSHOT_CACHE_ITEMS = 512
/** Consensus: votes on signers or validators that the operator has proposed. */
export const MAX_SIGNER_PROPOSALS = 1024

/** Wallet calls: calls of one batch. */
export const MAX_BATCH_CALLS = 100
/** Wallet calls: batches whose status is kept; the oldest are forgotten. */
export const MAX_CALL_BATCHES = 1000
/** Wallet calls: length of the id of a batch, in characters. */
export const MAX_BATCH_ID_LENGTH = 4096

/** Import: blocks per chunk for the writer. */
export const IMPORT_CHUNK_BLOCKS = 256
/** Import: bytes of blocks after which a chunk ends. */
export const IMPORT_CHUNK_BYTES: number = 4 * MIB
/** Import: gas of blocks after which a chunk ends. */
export const IMPORT_CHUNK_GAS = 100_000_000n
/** Import: chunks that are prepared ahead of the writer. */
export const IMPORT_CHUNKS_AHEAD = 3

/** HTTP: body of one request. Option: --rpc-http-max-request-content-length. */
export const MAX_HTTP_BODY_BYTES: number = 5 * 1024 * 1024
/** HTTP: refused hosts and origins that are logged. The number is fixed because clients choose them. */
export const MAX_LOGGED_REFUSALS = 100
/** Access: refused logins, calls and certificates that are logged in one window; the others are counted. */
export const MAX_SECURITY_LINES = 60
/** Access: window of {@link MAX_SECURITY_LINES}. */
export const SECURITY_WINDOW_MS = 60_000
/**
 * JSON-RPC: requests of one batch over HTTP; a larger batch is refused as a whole. Option: --rpc-http-max-batch-size.
 */
export const MAX_BATCH_ITEMS = 1024
/** JSON-RPC: maximum length of the answer to a batch, in characters; each request beyond it gets an error. */
export const MAX_BATCH_RESPONSE_LENGTH: number = 64 * 1024 * 1024
/** JSON-RPC: nesting of arrays and objects in a request. */
export const MAX_JSON_DEPTH = 256
/** JSON-RPC: digits of one number in a request, with sign, point and exponent. */
export const MAX_JSON_NUMBER_LENGTH = 1000
/** JSON-RPC: texts of logs that were asked for more than once, with the receipts of their blocks. */
export const LOG_TEXT_CACHE_BYTES: number = 4 * MIB
/** JSON-RPC: a text of a log that is kept. */
export const MAX_CACHED_LOG_TEXT_BYTES = 4096
/** JSON-RPC: time slice after which a batch yields to other requests. */
export const RPC_TIME_SLICE_MS = 8
/** HTTP: time limit for one request. */
export const HTTP_PROCESSING_TIMEOUT_MS = 300_000
/** HTTP: bytes of a streamed answer that may wait for its reader, besides the chunk that is being sent. */
export const STREAM_PENDING_BYTES: number = 256 * 1024
/**
 * HTTP: time that a client has to read an answer, or one chunk (64 KiB) of a streamed one, before it is disconnected.
 */
export const RESPONSE_STALL_MS = 60_000
/** JSON-RPC: answers to batches longer than this (characters) are streamed. */
export const BATCH_STREAM_LENGTH: number = 64 * 1024
/**
 * Connections: unsent bytes of all connections together. At a quarter, connections with unread output get no further
 * answers. At half, the others wait as well. At three quarters, clients that waited for each answer wait, too. Beyond
 * the limit, the connection with the largest backlog is terminated.
 */
export const MAX_OUTBOUND_BYTES: number = 192 * MIB
/** Connections: unsent bytes of one connection at which no further answer of it is begun. */
export const MAX_CONNECTION_BACKLOG_BYTES: number = MIB
/**
 * Connections: time without progress after which a connection is terminated, once a quarter of MAX_OUTBOUND_BYTES is
 * unsent.
 */
export const OUTBOUND_STALL_MS = 5_000
/** Connections: the same time once half of MAX_OUTBOUND_BYTES is unsent. */
export const OUTBOUND_URGENT_STALL_MS = 1_000
/** Connections: interval between checks for stalled connections. */
export const OUTBOUND_CHECK_MS = 100
/** Storage: number of times that a call may be repeated because its store had to fetch data. */
export const MAX_STORE_MISSES_PER_CALL = 10_000

/** HTTP: connections to one server; further ones are closed at once. Option: --rpc-http-max-active-connections. */
export const MAX_HTTP_CONNECTIONS = 80
/** HTTP: requests that wait on a connection whose client does not read; beyond it, the connection is terminated. */
export const MAX_PIPELINED_REQUESTS = 4096
/** HTTP: bodies of the requests that wait on such a connection. */
export const MAX_PIPELINED_BYTES: number = 8 * MIB
/** HTTP: header lines of one request. */
export const MAX_HTTP_HEADER_BYTES: number = 16 * 1024
/** HTTP: time limit for receiving the header lines. */
export const HTTP_HEADERS_TIMEOUT_MS = 15_000
/** HTTP: time limit for receiving a whole request. */
export const HTTP_REQUEST_TIMEOUT_MS = 60_000
/** HTTP: time after which an idle connection is closed. */
export const HTTP_KEEP_ALIVE_TIMEOUT_MS = 75_000
/** HTTP: time for which a client may go on sending a refused request before its connection is closed. */
export const HTTP_LINGER_MS = 2_000
/** HTTP: time limit for requests in progress when a server closes. */
export const HTTP_DRAIN_TIMEOUT_MS = 5_000

/** Login: validity of the tokens that a login returns. */
export const TOKEN_LIFE_SECONDS = 300
/** Login: verified tokens that an endpoint remembers. */
export const MAX_CACHED_TOKENS = 1024
/** Login: body of one login. */
export const MAX_LOGIN_BODY_BYTES = 8192
/** Login: logins that wait for the comparison of their passwords; further ones are refused. */
export const MAX_LOGIN_QUEUE = 32
/** Login: failed logins of one client within a window of time; further attempts are refused until its end. */
export const MAX_LOGIN_ATTEMPTS = 10
/** Login: window of time in which failed logins are counted. */
export const LOGIN_WINDOW_MS = 60_000
/** Login: clients whose failed logins are counted. */
export const MAX_LOGIN_CLIENTS = 4096
/** Login: bytes of a password that bcrypt compares. */
export const MAX_PASSWORD_BYTES = 72
/** Login: time after which the idle thread that compares passwords ends. */
export const PASSWORD_WORKER_IDLE_MS = 60_000
/** HTTP: time limit for a TLS handshake. */
export const TLS_HANDSHAKE_TIMEOUT_MS = 10_000
/** HTTP: length of the shortest answer that is compressed for a client that accepts it, in characters. */
export const MIN_COMPRESSED_LENGTH = 1024

/** WebSocket: connections to one node; further ones are closed at once. Option: --rpc-ws-max-active-connections. */
export const MAX_WEBSOCKET_CONNECTIONS = 80
/** WebSocket: bytes of one frame. Option: --rpc-ws-max-frame-size. */
export const MAX_WEBSOCKET_FRAME_BYTES: number = MIB
/** WebSocket: a message has at most this many times the bytes of a frame. */
export const MAX_WEBSOCKET_MESSAGE_FRAMES = 4
/** WebSocket: messages of one connection that are processed concurrently; further ones wait. */
export const MAX_WEBSOCKET_RUNNING_MESSAGES = 256
/** WebSocket: waiting messages of one connection (estimate) at which reading pauses. */
export const WEBSOCKET_PAUSE_BYTES: number = MIB
/** WebSocket: waiting messages of one connection (estimate) at which it is terminated. */
export const MAX_WEBSOCKET_WAITING_BYTES: number = 16 * MIB
/** WebSocket: unsent bytes of one connection at which none of its messages begins. */
export const WEBSOCKET_BACKLOG_BYTES: number = MIB
/** WebSocket: unsent bytes of one connection, not counting its largest message, at which it is terminated. */
export const MAX_WEBSOCKET_BACKLOG_BYTES: number = 16 * MIB
/** WebSocket: time limit for one message. */
export const WEBSOCKET_PROCESSING_TIMEOUT_MS = 300_000
/** WebSocket: time that an aborted message has to end. */
export const WEBSOCKET_ABORT_MS = 2_000
/** WebSocket: interval between pings. */
export const WEBSOCKET_PING_INTERVAL_MS = 30_000
/** WebSocket: unanswered pings in a row after which a connection is terminated. */
export const MAX_WEBSOCKET_MISSED_PINGS = 2
/** WebSocket: time limit for the client's close frame when a server closes. */
export const WEBSOCKET_CLOSE_TIMEOUT_MS = 1_000

/** IPC: connections; further ones are closed immediately. */
export const MAX_IPC_CONNECTIONS = 128
/** IPC: time that clients have to read their last answers when the node closes. */
export const IPC_CLOSE_TIMEOUT_MS = 1_000

/** GraphQL: fields of one operation, of which some count more. */
export const MAX_GRAPHQL_COMPLEXITY = 200
/** GraphQL: fields of introspection in one operation. */
export const MAX_GRAPHQL_INTROSPECTION = 500
/** GraphQL: nesting of a query, through its fragments. */
export const MAX_GRAPHQL_DEPTH = 32
/** GraphQL: aliases of one operation. */
export const MAX_GRAPHQL_ALIASES = 100
/**
 * GraphQL: characters of a document. Parsing and validation cannot be interrupted, so other clients wait while a
 * document within these limits is read.
 */
export const MAX_GRAPHQL_LENGTH: number = 288 * 1024
/** GraphQL: tokens of a document. */
export const MAX_GRAPHQL_TOKENS = 2_500
/** GraphQL: fields and fragment spreads of all operations of a document. */
export const MAX_GRAPHQL_SELECTIONS = 500
/** GraphQL: definitions of a document. */
export const MAX_GRAPHQL_DEFINITIONS = 64
/** GraphQL: definitions of a document with their variables, arguments, fields of objects and directives. */
export const MAX_GRAPHQL_PARTS = 250
/** GraphQL: brackets around one token. */
export const MAX_GRAPHQL_BRACKETS = 64
/** GraphQL: blocks of one list. */
export const MAX_GRAPHQL_BLOCKS = 1024
/** GraphQL: fields and list entries of one answer. */
export const MAX_GRAPHQL_VALUES = 200_000
/** GraphQL: characters of all bytes in one answer. */
export const MAX_GRAPHQL_BYTES_LENGTH: number = 16 * MIB
/** GraphQL: errors of one answer; further ones are omitted. */
export const MAX_GRAPHQL_ERRORS = 100
/** GraphQL: characters of the query texts whose parsed form is kept. */
export const GRAPHQL_DOCUMENT_CACHE_LENGTH: number = 256 * 1024

/** Pool: all transactions including blobs, which take at most half of it; beyond it some are evicted. */
export const MAX_POOL_BYTES: number = 256 * MIB
/** Pool: mined transactions that can be restored unchanged when their block is removed. */
export const MINED_MEMORY_BYTES: number = 8 * MIB
/** Pool: senders whose last invalid network transaction is remembered. */
export const INVALID_NONCE_SENDERS = 8192

/** Storage: entries that a range query on disk reads ahead. */
export const MAX_RANGE_CHUNK = 256
/** Storage: maximum age of the snapshot that a reading thread uses. */
export const READER_SNAPSHOT_MS = 5000

/** Sender recovery: tasks that wait for a worker thread; the caller executes further batches itself. */
export const MAX_RECOVERY_QUEUE_TASKS = 131_072

/** Request workers: maximum number of threads. */
export const MAX_REQUEST_WORKERS = 8
/** Request workers: concurrent requests of one thread. */
export const MAX_REQUESTS_PER_WORKER = 32
/** Request workers: waiting requests; further ones are refused. */
export const MAX_REQUEST_QUEUE = 1024
/** Request workers: bytes of one answer that are sent ahead of its reader. */
export const REQUEST_WORKER_CREDIT_BYTES: number = 256 * 1024
/** Request workers: blocks whose last tracing worker is remembered. */
export const REQUEST_WORKER_SUBJECTS = 256
/** Blobs: transactions whose proofs are verified concurrently; a further one is refused. */
export const MAX_BLOB_VERIFICATIONS = 64
/** Blobs: idle time after which the thread that verifies proofs ends. */
export const BLOB_WORKER_IDLE_MS = 60_000

/** Request workers: idle time after which a thread ends. */
export const REQUEST_WORKER_IDLE_MS = 60_000
/** Request workers: time that a thread has to end when it is asked to. */
export const REQUEST_WORKER_CLOSE_MS = 1_000

/** Ethash: light caches in memory, 16 MiB or more each; two, because ommers and reorganisations cross epochs. */
export const MAX_ETHASH_CACHES = 2

/** Ethash: threads that compute a dataset (--miner-dag=full), each with a light cache. */
export const MAX_DATASET_THREADS = 8
/** Ethash: memory that must remain available beside a dataset. */
export const DATASET_RESERVE_BYTES: number = 256 * MIB
/** Ethash: bytes of a dataset that are read or written together. */
export const DATASET_FILE_CHUNK_BYTES: number = 4 * MIB
/** Ethash: pages of a dataset's file that are computed again to verify it. */
export const DATASET_SAMPLE_PAGES = 128

/** Mining: blocks whose seals are accepted. Options: --Xminer-pow-job-ttl, --Xmax-ommers-depth. */
export const MAX_POW_JOBS = 16
/** Mining: time after which new transactions change the work. */
export const WORK_REFRESH_MS = 2_000

/** Import: one block of a file; a longer length prefix is an error. */
export const MAX_IMPORT_BLOCK_BYTES: number = 64 * 1024 * 1024

/**
 * Traces: gas of a block that is traced in place instead of on a worker thread (about 2 ms); opcodes count 20 times.
 */
export const SMALL_TRACE_GAS = 2_000_000n
/** Traces: answers kept for the next equal request. */
export const TRACE_RESULT_BYTES: number = 16 * MIB
/** Traces: length of an answer that is kept, in characters. */
export const MAX_TRACE_RESULT_LENGTH: number = 256 * 1024
/** Traces: state changes of transactions in recently traced blocks, which need not be executed again (estimate). */
export const TRACED_CHANGES_BYTES: number = 64 * MIB

/** Methods: accounts or slots in one answer of debug_accountRange or debug_storageRangeAt. */
export const MAX_STATE_RANGE_ITEMS = 8192
/** Methods: slots of one eth_getStorageValues request, all accounts together. */
export const MAX_STORAGE_VALUES = 1024
/** Methods: blocks of one eth_feeHistory request. */
export const MAX_FEE_HISTORY_BLOCKS = 1024
/** Methods: percentiles of one eth_feeHistory request. */
export const MAX_FEE_HISTORY_PERCENTILES = 100
/** Methods: blocks of one eth_simulateV1 request, including blocks that fill gaps. */
export const MAX_SIMULATED_BLOCKS = 256
/** Logs: addresses of a filter, and topics per position. */
export const MAX_FILTER_ALTERNATIVES = 1000
/** Logs: positions of topics in a filter. */
export const MAX_FILTER_TOPICS = 16
/** Logs: blocks that eth_getLogs examines before it yields. */
export const LOG_SCAN_BLOCKS = 2048
/** Logs: characters of one answer with logs. */
export const MAX_LOG_TEXT_LENGTH: number = 128 * MIB
/** Logs: logs of one answer of eth_getLogs or eth_getFilterLogs. */
export const MAX_LOG_RESULTS = 500_000

/** Filters: installed filters. */
export const MAX_FILTERS = 10_000
/** Filters: addresses and topics of all installed filters together. */
export const MAX_FILTER_CRITERIA = 1_000_000
/** Filters: transactions or logs of one filter that wait for a poll; with more, it is removed. */
export const MAX_FILTER_ITEMS = 100_000
/** Filters: blocks kept for filters; a filter that is further behind is removed. */
export const MAX_FILTER_BLOCKS = 16_384
/** Filters: time without a poll after which a filter is removed. */
export const FILTER_TIMEOUT_MS = 600_000
/** Filters: minimum interval between checks for expired filters. */
export const FILTER_SWEEP_INTERVAL_MS = 10_000
/** Subscriptions: subscriptions of one connection. */
export const MAX_SUBSCRIPTIONS_PER_CONNECTION = 1024
/** Subscriptions: addresses and topics of all subscriptions of one connection together. */
export const MAX_SUBSCRIPTION_CRITERIA = 65_536
/** Subscriptions: chains that debug_subscribe traces at the same time. */
export const MAX_NOTIFYING_WORK = 4
/** Subscriptions: bytes of the traces of one block of debug_subscribe. */
export const MAX_BLOCK_TRACE_BYTES: number = 32 * MIB
/** Subscriptions: interval for checking whether a subscriber of debug_subscribe has read what was sent. */
export const SUBSCRIBER_CHECK_MS = 20

/** State: decoded trie nodes cached in memory (estimate). */
export const TRIE_NODE_CACHE_BYTES: number = 128 * MIB
/** State: contract code cached in memory. */
export const CODE_CACHE_BYTES: number = 32 * MIB
/** State: roots whose cached nodes remain accessible. */
export const STATE_ROOT_CACHE_ITEMS = 256
/** State: states that are read repeatedly and have caches of accounts and slots. */
export const RECENT_STATES = 4
/** State: cached accounts of such a state. */
export const RECENT_STATE_ACCOUNTS = 16_384
/** State: cached slots of such a state. */
export const RECENT_STATE_SLOTS = 32_768
/** State: slots of an account that a block may touch so that they stay in the cache of the newest state. */
export const MAX_KEPT_SLOTS = 8192
/** State: memory of a cached account or slot with its key (estimate). */
export const STATE_ENTRY_BYTES = 320
/** Storage: entries that one batch of a migration reads. */
export const MIGRATION_BATCH_KEYS = 4096
/** Storage: bytes that one batch of a migration reads. */
export const MIGRATION_BATCH_BYTES: number = 4 * MIB
/** State: cached hashes of addresses, and the same number for slots; a power of 4. */
export const KEY_HASH_CACHE_ITEMS = 16_384
/** State: blocks that the flat view unwinds to reach the head. */
export const MAX_FLAT_UNWIND_BLOCKS = 4096
/** Storage: cache of a store that is not in memory (IndexedDB, a mirror). */
export const RESIDENT_STORE_BYTES: number = 64 * MIB
/** Storage: bytes of one range that such a store loads. */
export const RESIDENT_RANGE_BYTES: number = 16 * MIB

/** Browser: time after which a page has its turn before its node answers the next request. */
export const MAX_PAGE_BUSY_MS = 8
/** Browser: time that a closing or reloading tab has to release its database. */
export const DATABASE_LOCK_WAIT_MS = 2_000

/** Pending block: time limit for adding transactions. */
export const MAX_PENDING_BUILD_MS = 500
/** Pending block: lifetime of a block while nothing changes. */
export const PENDING_BLOCK_AGE_MS = 1_000
/** Pending block: after this number of builds that changes of pool or head made stale, the last one is shown. */
export const MAX_PENDING_BUILDS_IN_A_ROW = 3

/** Genesis files: bytes of one file. */
export const MAX_GENESIS_FILE_BYTES: number = 256 * MIB
/** Genesis files: accounts whose state takes long enough to write for a line in the log. */
export const LARGE_GENESIS_ACCOUNTS = 10_000
/** Genesis files: code of the accounts whose state is written together, beside the keys of one slice. */
export const GENESIS_SLICE_BYTES: number = 8 * MIB
/** Genesis files: time for which accounts are sorted and written without a yield. */
export const GENESIS_SLICE_MS = 8
/** Clock: time by which the newest block may be later than the clock of this node before a warning. */
export const MAX_CLOCK_DRIFT_MS = 5_000

/** Metrics: series kept in memory. */
export const MAX_METRIC_SERIES = 4096
/** Metrics: interval at which the delay of the event loop is measured. */
export const EVENT_LOOP_SAMPLE_MS = 100
/** Metrics: connections to the port. */
export const MAX_METRICS_CONNECTIONS = 64
/** Metrics: time limit of one push to a gateway. */
export const METRICS_PUSH_TIMEOUT_MS = 10_000

/** Log: categories with their own level (admin_changeLogLevel). */
export const MAX_LOG_CATEGORIES = 256
/** Peers: peers that the operator has added (admin_addPeer). */
export const MAX_MAINTAINED_PEERS = 1024
/** Plugins: time to start or to reload. */
export const PLUGIN_START_MS = 30_000
/** Plugins: time to stop. */
export const PLUGIN_STOP_MS = 5_000
/** Plugins: time to answer a request or to handle an event. */
export const PLUGIN_METHOD_MS = 30_000
/** Plugins: events that wait for one plugin; further ones are dropped. */
export const MAX_PLUGIN_EVENTS = 1024
/** Bloom files: blocks per write. */
export const BLOOM_CHUNK_BLOCKS = 500
/** Bloom files: delay of the first fill after the start. */
export const BLOOM_CACHE_START_MS = 60_000
/** Bloom files: delay until new blocks are written. */
export const BLOOM_CACHE_DELAY_MS = 1_000

/** State: entries of the flat view that are committed together when it is built again. */
export const FLAT_SLICE_KEYS = 4096

/** Methods: time that a synchronous transaction waits for its block if the request names none. */
export const DEFAULT_RECEIPT_WAIT_MS = 20_000
/** Methods: maximum time that a synchronous transaction waits for its block. */
export const MAX_RECEIPT_WAIT_MS = 60_000

/** Pool: interval between checks for expired transactions. */
export const POOL_SWEEP_INTERVAL_MS = 60_000

/** EVM: length of base and modulus of MODEXP before EIP-7823. Longer ones cost far more than the gas of any block. */
export const MAX_MODEXP_OPERAND_BYTES: number = 16 * MIB

/** Traces: call data, code and output of all calls of one transaction, kept until it ends (estimate). */
export const MAX_CALL_TRACE_BYTES: number = 64 * MIB

/** Trace files: total size of all files of debug_standardTraceBlockToFile. */
export const MAX_TRACE_FILES_BYTES: number = 16 * 1024 * MIB
/** Trace files: minimum size that each file counts as. */
export const TRACE_FILE_BLOCK_BYTES = 4096
/** Trace files: unwritten bytes at which the execution waits. */
export const TRACE_FILE_PENDING_BYTES: number = MIB

/** Permissioning: calls of a contract on one state, which keeps what they read in memory. */
export const MAX_CALLS_OF_PERMISSION_STATE = 1_000

/** Permissioning: verdicts of a contract about connections that are kept in memory. */
export const MAX_PERMISSION_VERDICTS = 1_024

/** Commands: nodes of `operator generate-blockchain-config`. */
export const MAX_GENERATED_NODES = 1_000

/** Privacy: payloads of the enclave kept between the preparation and the execution of blocks. */
export const MAX_READY_PAYLOADS_BYTES: number = 64 * MIB
/** Privacy: requests to the enclave at a time. */
export const MAX_ENCLAVE_REQUESTS = 8
/** Privacy: bytes of one answer from the enclave. */
export const MAX_ENCLAVE_ANSWER_BYTES: number = 32 * MIB
/** Privacy: time to connect to the enclave. */
export const ENCLAVE_CONNECT_MS = 1000
/** Privacy: time for the whole answer from the enclave. */
export const ENCLAVE_ANSWER_MS = 5000
/** Privacy: minimum delay between two attempts while the enclave is unreachable. */
export const ENCLAVE_RETRY_MIN_MS = 500
/** Privacy: maximum delay between two attempts while the enclave is unreachable. */
export const ENCLAVE_RETRY_MAX_MS = 10_000
/** Privacy: interval between two log messages while the enclave is unreachable. */
export const ENCLAVE_WAIT_LOG_MS = 30_000
/** Privacy: filters of private logs. */
export const MAX_PRIVATE_FILTERS = 1024
/** Privacy: time after which an unused filter of private logs expires. */
export const PRIVATE_FILTER_TTL_MS: number = 10 * 60_000
/** Privacy: blocks with changes of its group that a filter keeps for its next poll; the oldest are dropped. */
export const MAX_PRIVATE_FILTER_BLOCKS = 10_000

/** Traces: memory of a tracer written in JavaScript, with its data. */
export const JS_TRACER_MEMORY_BYTES: number = 64 * MIB
/** Traces: time that a tracer written in JavaScript may use without a pause, on a thread for traces. */
export const JS_TRACER_CALL_MS = 5000
/** Traces: the same on the thread that answers other requests too, as for a chain in memory. */
export const JS_TRACER_SHARED_CALL_MS = 1000
/** Traces: characters of the result of a tracer written in JavaScript. */
export const MAX_JS_TRACER_RESULT: number = 16 * MIB
/** Traces: bytes of a tracer written in JavaScript. */
export const MAX_JS_TRACER_LENGTH: number = 1024 * 1024
/** Traces: init code that such a tracer passes to toContract2, in bytes. */
export const MAX_JS_TRACER_UPLOAD: number = 2 * MIB
