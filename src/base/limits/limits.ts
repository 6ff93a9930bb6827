/**
 * Bounds of every queue, cache and buffer; those of the network are in networkLimits.ts, those of an enclave in
 * enclaveLimits.ts. Sizes are bytes unless the name says otherwise.
 * @module
 */

export * from './enclaveLimits.ts'
export * from './networkLimits.ts'

const MIB = 1024 * 1024

/** Chain: decoded blocks kept in memory. */
export const HEADER_CACHE_ITEMS = 8192
export const BODY_CACHE_BYTES: number = 12 * MIB
export const RECEIPT_CACHE_BYTES: number = 12 * MIB
export const SENDER_CACHE_BYTES: number = 4 * MIB
/** Chain: encoded receipts of blocks whose logs were searched. */
export const LOG_CACHE_BYTES: number = 8 * MIB

/** Chain: tasks in each lane of the writer's queue; further ones are refused. */
export const MAX_WRITER_QUEUE = 1024
/** Chain: urgent tasks that may precede a waiting ordinary one. */
export const MAX_URGENT_RUN = 16
/** Chain: candidates (blocks that were executed but not committed), and their total size (estimate). */
export const MAX_CANDIDATES = 64
export const MAX_CANDIDATE_BYTES: number = 256 * MIB
/** Chain: a batch of consecutive blocks is committed when it reaches one of these limits. */
export const MAX_RUN_BLOCKS = 1024
export const MAX_RUN_KEYS = 65_536
export const MAX_RUN_BYTES: number = 32 * MIB
export const MAX_RUN_MS = 500
/** Chain: a change of the head is one atomic batch if it removes and adds at most this number of blocks in total. */
export const MAX_ATOMIC_MOVE_BLOCKS = 1024
/** Chain: blocks per batch of a longer change of the head. */
export const MAX_MOVE_STEP_BLOCKS = 256
/** Chain: time during which consecutive sealed blocks are collected for one commit; their submitters wait for it. */
export const MAX_SEAL_RUN_MS = 20
/**
 * Chain: time that such a run takes before it yields. Hosts accept one connection per turn of the event loop, so clients that
 * connect in a burst wait for one slice each.
 */
export const SEAL_SLICE_MS = 2
/** Chain: rejected blocks kept for debug_getBadBlocks. */
export const MAX_BAD_BLOCKS = 100

/** Clique: sets of signers with their votes kept in memory, one per block. */
export const CLIQUE_SNAPSHOT_CACHE_ITEMS = 512
/** Votes on signers or validators that the operator has proposed. */
export const MAX_SIGNER_PROPOSALS = 1024

/** Import: blocks per chunk for the writer, and chunks that are prepared ahead. */
export const IMPORT_CHUNK_BLOCKS = 256
export const IMPORT_CHUNK_BYTES: number = 4 * MIB
export const IMPORT_CHUNK_GAS = 100_000_000n
export const IMPORT_CHUNKS_AHEAD = 3

/** HTTP: body of one request. */
export const MAX_HTTP_BODY_BYTES: number = 5 * 1024 * 1024
/** Refused hosts and origins that are logged; the number is fixed because clients choose them. */
export const MAX_LOGGED_REFUSALS = 100
/** Requests of one JSON-RPC batch over HTTP; a larger batch is refused as a whole. */
export const MAX_BATCH_ITEMS = 1024
/** Characters of one batch response; what comes after is answered with an error per request. */
export const MAX_BATCH_RESPONSE_LENGTH: number = 64 * 1024 * 1024
/** Nesting of arrays and objects in a JSON request. */
export const MAX_JSON_DEPTH = 256
/** Digits (with sign, point and exponent) of one number in a JSON request. */
export const MAX_JSON_NUMBER_LENGTH = 1000
/** Time slice after which a batch yields to other requests. */
export const RPC_TIME_SLICE_MS = 8
/** Time limit for one HTTP request. */
export const HTTP_PROCESSING_TIMEOUT_MS = 300_000
/** Streamed response: bytes that may wait for its reader, in addition to the chunk that is being sent. */
export const STREAM_PENDING_BYTES: number = 256 * 1024
/**
 * Time that a client has to read a sent response, or one chunk (64 KiB) of a streamed response; then it is
 * disconnected.
 */
export const RESPONSE_STALL_MS = 60_000
/** Characters from which on a batch answer is streamed. */
export const BATCH_STREAM_LENGTH: number = 64 * 1024
/**
 * Unsent bytes of all connections. Above the limit the connection with the largest backlog is terminated; from half on
 * no work for an answer begins, except for clients that have waited for each answer, which have three quarters; from a
 * quarter on none begins for connections with unread output.
 */
export const MAX_OUTBOUND_BYTES: number = 192 * MIB
/** No work for a further answer begins while more than this is unsent on one connection. */
export const MAX_CONNECTION_BACKLOG_BYTES: number = MIB
/**
 * A connection without progress for this time is terminated: from a quarter of MAX_OUTBOUND_BYTES on, and from half on.
 */
export const OUTBOUND_STALL_MS = 5_000
export const OUTBOUND_URGENT_STALL_MS = 1_000
/** Interval between checks for stalled connections. */
export const OUTBOUND_CHECK_MS = 100
/** Number of times that a call may be repeated because its store had to fetch data. */
export const MAX_STORE_MISSES_PER_CALL = 10_000

/** Connections to one HTTP server; further ones are closed at once. */
export const MAX_HTTP_CONNECTIONS = 80
/**
 * Requests that wait on one HTTP connection because its client does not read, and their bodies; beyond that it is
 * terminated.
 */
export const MAX_PIPELINED_REQUESTS = 4096
export const MAX_PIPELINED_BYTES: number = 8 * MIB
/** Header lines of one HTTP request. */
export const MAX_HTTP_HEADER_BYTES: number = 16 * 1024
/** Time limit for receiving the header lines. */
export const HTTP_HEADERS_TIMEOUT_MS = 15_000
/** Time limit for receiving a whole request. */
export const HTTP_REQUEST_TIMEOUT_MS = 60_000
/** Time after which an idle connection is closed. */
export const HTTP_KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Time for which a client may continue sending a refused request before its connection is closed. */
export const HTTP_LINGER_MS = 2_000
/** Time limit for requests in progress when a server closes. */
export const HTTP_DRAIN_TIMEOUT_MS = 5_000

/** Validity of the tokens that a login returns. */
export const TOKEN_LIFE_SECONDS = 300
/** Verified tokens that an endpoint remembers. */
export const MAX_CACHED_TOKENS = 1024
/** Body of a login. */
export const MAX_LOGIN_BODY_BYTES = 8192
/** Logins that wait for the comparison of their passwords; further ones are refused. */
export const MAX_LOGIN_QUEUE = 32
/** Failed logins of one client within a window of time; further attempts are refused until its end. */
export const MAX_LOGIN_ATTEMPTS = 10
export const LOGIN_WINDOW_MS = 60_000
/** Clients whose failed logins are counted. */
export const MAX_LOGIN_CLIENTS = 4096
/** Bytes of a password that bcrypt compares. */
export const MAX_PASSWORD_BYTES = 72
/** Time after which the idle thread that compares passwords ends. */
export const PASSWORD_WORKER_IDLE_MS = 60_000
/** Time limit for a TLS handshake. */
export const TLS_HANDSHAKE_TIMEOUT_MS = 10_000
/** Characters of the shortest answer that is compressed for a client that accepts it. */
export const MIN_COMPRESSED_LENGTH = 1024

/** WebSocket connections to one node; further ones are closed at once. */
export const MAX_WEBSOCKET_CONNECTIONS = 80
/** Bytes of one WebSocket frame, and frames per message. */
export const MAX_WEBSOCKET_FRAME_BYTES: number = MIB
export const MAX_WEBSOCKET_MESSAGE_FRAMES = 4
/** Messages of one connection that are processed concurrently; further ones wait. */
export const MAX_WEBSOCKET_RUNNING_MESSAGES = 256
/**
 * Waiting messages of one connection (estimate): at the first limit reading pauses, at the second the connection is
 * terminated.
 */
export const WEBSOCKET_PAUSE_BYTES: number = MIB
export const MAX_WEBSOCKET_WAITING_BYTES: number = 16 * MIB
/** No message of a connection begins while more than this is unsent. */
export const WEBSOCKET_BACKLOG_BYTES: number = MIB
/** Unsent bytes of one connection, not counting its largest message; beyond that the connection is terminated. */
export const MAX_WEBSOCKET_BACKLOG_BYTES: number = 16 * MIB
/** Time limit for one WebSocket message, and the time that an aborted one has to end. */
export const WEBSOCKET_PROCESSING_TIMEOUT_MS = 300_000
export const WEBSOCKET_ABORT_MS = 2_000
/** Interval between pings, and unanswered pings in a row after which a connection is terminated. */
export const WEBSOCKET_PING_INTERVAL_MS = 30_000
export const MAX_WEBSOCKET_MISSED_PINGS = 2
/** Time limit for the client's close frame when a server closes. */
export const WEBSOCKET_CLOSE_TIMEOUT_MS = 1_000

/** GraphQL: fields of one operation, where some count more; those of an introspection count separately. */
export const MAX_GRAPHQL_COMPLEXITY = 200
export const MAX_GRAPHQL_INTROSPECTION = 500
/** GraphQL: nesting of a query through its fragments, aliases of one operation. */
export const MAX_GRAPHQL_DEPTH = 32
export const MAX_GRAPHQL_ALIASES = 100
/**
 * GraphQL: characters and tokens of a document, fields and fragment spreads of all its operations, its definitions, these
 * with their variables, arguments, fields of objects and directives, brackets around one token. Parsing and validation
 * cannot be interrupted, so other clients wait while a document within these limits is read.
 */
export const MAX_GRAPHQL_LENGTH: number = 288 * 1024
export const MAX_GRAPHQL_TOKENS = 2_500
export const MAX_GRAPHQL_SELECTIONS = 500
export const MAX_GRAPHQL_DEFINITIONS = 64
export const MAX_GRAPHQL_PARTS = 250
export const MAX_GRAPHQL_BRACKETS = 64
/** GraphQL: blocks of one list. */
export const MAX_GRAPHQL_BLOCKS = 1024
/** GraphQL: fields and list entries of one answer, and characters of its bytes. */
export const MAX_GRAPHQL_VALUES = 200_000
export const MAX_GRAPHQL_BYTES_LENGTH: number = 16 * MIB
/** GraphQL: errors of one answer; further ones are omitted. */
export const MAX_GRAPHQL_ERRORS = 100
/** GraphQL: characters of the query texts whose parsed form is kept. */
export const GRAPHQL_DOCUMENT_CACHE_LENGTH: number = 256 * 1024

/** Pool: all transactions including blobs; beyond it some are evicted. */
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

/** Request workers: maximum number of threads, concurrent requests per thread, and waiting requests. */
export const MAX_REQUEST_WORKERS = 8
export const MAX_REQUESTS_PER_WORKER = 32
export const MAX_REQUEST_QUEUE = 1024
/** Request workers: bytes of one answer that are sent ahead of its reader. */
export const REQUEST_WORKER_CREDIT_BYTES: number = 256 * 1024
/** Request workers: blocks whose last tracing worker is remembered. */
export const REQUEST_WORKER_SUBJECTS = 256
/** Blob transactions whose proofs are verified concurrently; a further one is refused. */
export const MAX_BLOB_VERIFICATIONS = 64
/** Idle time before the blob verification thread exits. */
export const BLOB_WORKER_IDLE_MS = 60_000

/** Request workers: idle time before a thread exits; grace period for a thread that is asked to exit. */
export const REQUEST_WORKER_IDLE_MS = 60_000
export const REQUEST_WORKER_CLOSE_MS = 1_000
/** Request workers: decoded trie nodes cached by each (estimate). */
export const READER_NODE_CACHE_BYTES: number = 32 * MIB

/** Ethash: cached light caches, 16 MiB or more each; two, because ommers and reorganisations cross epochs. */
export const MAX_ETHASH_CACHES = 2

/** Ethash datasets (--miner-dag=full): threads that compute one, each with a light cache. */
export const MAX_DATASET_THREADS = 8
/** Ethash datasets: memory that must remain available next to a dataset. */
export const DATASET_RESERVE_BYTES: number = 256 * MIB
/** Ethash datasets: bytes that are read or written together, and pages of a file that are computed again to verify it. */
export const DATASET_FILE_CHUNK_BYTES: number = 4 * MIB
export const DATASET_SAMPLE_PAGES = 128

/** BFT: rounds in which one validator may have messages of one kind at a time. */
export const MAX_BFT_ROUNDS_AHEAD = 8
/** BFT: one message, and all that wait to be handled. */
export const MAX_BFT_MESSAGE_BYTES: number = 16 * MIB
export const MAX_BFT_QUEUE_BYTES: number = 64 * MIB
/** BFT: messages of future heights. */
export const MAX_BFT_FUTURE_BYTES: number = 32 * MIB

/** Mining: blocks whose seals are accepted, see also --Xminer-pow-job-ttl and --Xmax-ommers-depth. */
export const MAX_POW_JOBS = 16
/** Mining: time after which new transactions change the work. */
export const WORK_REFRESH_MS = 2_000

/** Stratum: connections; further ones are closed immediately. */
export const MAX_STRATUM_CONNECTIONS = 1024
/** Stratum: bytes of one line, of the head of an HTTP request, and of its body; a longer one ends the connection. */
export const MAX_STRATUM_LINE_BYTES = 8192
/** Stratum: unsent bytes to one miner; with more, the connection is closed. */
export const MAX_STRATUM_BACKLOG_BYTES = 65_536
/** Stratum: time for the first message of a connection, and between two requests over HTTP. */
export const STRATUM_IDLE_MS = 30_000
/** Stratum: invalid shares of one address per minute; further connections of the address are refused until then. */
export const MAX_STRATUM_INVALID_SHARES = 64

/** Import: one block of a file; a longer length prefix is an error. */
export const MAX_IMPORT_BLOCK_BYTES: number = 64 * 1024 * 1024

/** Traces: gas of a block that is traced in place instead of on a worker thread (about 2 ms); opcodes count 20 times. */
export const SMALL_TRACE_GAS = 2_000_000n
/** Traces: answers kept for the next equal request, and the length of one. */
export const TRACE_RESULT_BYTES: number = 16 * MIB
export const MAX_TRACE_RESULT_LENGTH: number = 256 * 1024
/** Traces: state changes of transactions in recently traced blocks, which need not be executed again (estimate). */
export const TRACED_CHANGES_BYTES: number = 64 * MIB

/** Accounts or slots in one answer of debug_accountRange or debug_storageRangeAt. */
export const MAX_STATE_RANGE_ITEMS = 8192
/** Slots of one eth_getStorageValues request, all accounts together. */
export const MAX_STORAGE_VALUES = 1024
/** Blocks and percentiles of one eth_feeHistory request. */
export const MAX_FEE_HISTORY_BLOCKS = 1024
export const MAX_FEE_HISTORY_PERCENTILES = 100
/** Blocks of one eth_simulateV1 request, including blocks that fill gaps. */
export const MAX_SIMULATED_BLOCKS = 256
/** Addresses of a log filter, topics per position, and positions. */
export const MAX_FILTER_ALTERNATIVES = 1000
export const MAX_FILTER_TOPICS = 16
/** Blocks that eth_getLogs examines before it yields. */
export const LOG_SCAN_BLOCKS = 2048
/** Characters of one answer with logs. */
export const MAX_LOG_TEXT_LENGTH: number = 128 * MIB
/** Logs of one answer of eth_getLogs or eth_getFilterLogs. */
export const MAX_LOG_RESULTS = 500_000

/** Installed filters, and their addresses and topics in total. */
export const MAX_FILTERS = 10_000
export const MAX_FILTER_CRITERIA = 1_000_000
/** Unpolled transactions or logs of one filter; beyond that it is removed. */
export const MAX_FILTER_ITEMS = 100_000
/** Blocks retained for filters; a filter that is further behind is removed. */
export const MAX_FILTER_BLOCKS = 16_384
/** Time without a poll after which a filter is removed, and the minimum interval between checks. */
export const FILTER_TIMEOUT_MS = 600_000
export const FILTER_SWEEP_INTERVAL_MS = 10_000
/** Subscriptions of one connection, and their addresses and topics in total. */
export const MAX_SUBSCRIPTIONS_PER_CONNECTION = 1024
export const MAX_SUBSCRIPTION_CRITERIA = 65_536
/** debug_subscribe: chains that are traced at the same time, and bytes of the traces of one block. */
export const MAX_NOTIFYING_WORK = 4
export const MAX_BLOCK_TRACE_BYTES: number = 32 * MIB
/** debug_subscribe: interval for checking whether a subscriber has read what was sent. */
export const SUBSCRIBER_CHECK_MS = 20

/** State: decoded trie nodes cached in memory (estimate). */
export const TRIE_NODE_CACHE_BYTES: number = 128 * MIB
/** State: contract code cached in memory. */
export const CODE_CACHE_BYTES: number = 32 * MIB
/** State: roots whose cached nodes remain accessible. */
export const STATE_ROOT_CACHE_ITEMS = 256
/** State: states that are read repeatedly, and entries cached for each. */
export const RECENT_STATES = 4
export const RECENT_STATE_ACCOUNTS = 16_384
export const RECENT_STATE_SLOTS = 32_768
/** Storage: entries, and their bytes, that one batch of a migration reads. */
export const MIGRATION_BATCH_KEYS = 4096
export const MIGRATION_BATCH_BYTES: number = 4 * MIB
/** State: cached hashes of addresses, and the same number for slots; a power of 4. */
export const KEY_HASH_CACHE_ITEMS = 4096
/** State: blocks that the flat view unwinds to reach the head. */
export const MAX_FLAT_UNWIND_BLOCKS = 4096
/** Native EVM: instances kept between messages, and the maximum size of each. */
export const MAX_IDLE_NATIVE_INSTANCES = 4
export const MAX_IDLE_NATIVE_INSTANCE_BYTES: number = 64 * MIB
/** Keccak-256 of the native EVM: initial and maximum input buffer; longer input is hashed elsewhere. */
export const INITIAL_NATIVE_KECCAK_BYTES: number = 64 * 1024
export const MAX_NATIVE_KECCAK_BYTES: number = 8 * MIB
/** Storage: cache of a store that is not in memory (IndexedDB, Redis, KV). */
export const RESIDENT_STORE_BYTES: number = 64 * MIB
export const RESIDENT_RANGE_BYTES: number = 16 * MIB
/** Storage: parallel requests to a remote store for one read or write of many keys. */
export const UNSTORAGE_PARALLEL_REQUESTS = 256

/** Workers: genesis file that a read-only node reads from its namespace, whose values have at most 25 MiB. */
export const MAX_MIRROR_GENESIS_BYTES: number = 8 * MIB
export const MAX_MIRROR_BLOCKS_BYTES: number = 25 * MIB
/** Workers: delay before a chain that failed to open is opened again. */
export const MIRROR_RETRY_MS = 10_000
/** Browser: time that a closing or reloading tab has to release its database. */
export const DATABASE_LOCK_WAIT_MS = 2_000

/** Pending block: time limit for adding transactions, and the lifetime of a block while nothing changes. */
export const MAX_PENDING_BUILD_MS = 500
export const PENDING_BLOCK_AGE_MS = 1_000
/** Pending block: after this number of builds that changes of pool or head made stale, the last one is shown. */
export const MAX_PENDING_BUILDS_IN_A_ROW = 3

/** Metrics: series kept in memory. */
export const MAX_METRIC_SERIES = 4096
/** Metrics: interval at which the delay of the event loop is measured. */
export const EVENT_LOOP_SAMPLE_MS = 100
/** Metrics: connections to the port, and time limit of one push to a gateway. */
export const MAX_METRICS_CONNECTIONS = 64
export const METRICS_PUSH_TIMEOUT_MS = 10_000

/** Log: categories with their own level (admin_changeLogLevel). */
export const MAX_LOG_CATEGORIES = 256
/** Peers that the operator has added (admin_addPeer). */
export const MAX_MAINTAINED_PEERS = 1024
/** Plugins: time to start or reload, to stop, and to answer a request or handle an event. */
export const PLUGIN_START_MS = 30_000
export const PLUGIN_STOP_MS = 5_000
export const PLUGIN_METHOD_MS = 30_000
/** Plugins: events that wait for one plugin; further ones are dropped. */
export const MAX_PLUGIN_EVENTS = 1024
/** Bloom files: blocks per write; delay of the first fill after the start, and of new blocks. */
export const BLOOM_CHUNK_BLOCKS = 500
export const BLOOM_CACHE_START_MS = 60_000
export const BLOOM_CACHE_DELAY_MS = 1_000

/** Dev chain: accounts that are impersonated at the same time. */
export const MAX_IMPERSONATED_ACCOUNTS = 65_536
/** Dev chain: blobs of mined transactions that are kept in memory. */
export const MAX_MINED_BLOB_BYTES: number = 64 * MIB
/** Dev chain: keys of a loaded state that are committed together. */
export const LOAD_SLICE_KEYS = 8192
/** Entries of the flat view that are committed together when it is built again. */
export const FLAT_SLICE_KEYS = 4096
/** Dev chain: signatures for which ecrecover returns a given address; they are stored with each block. */
export const MAX_IMPERSONATED_SIGNATURES = 64
/** Dev chain: accounts that are added while the node runs. */
export const MAX_ADDED_ACCOUNTS = 4096
/** Dev chain: uncompressed size of a state dump that is loaded. */
export const MAX_LOADED_DUMP_BYTES: number = 512 * MIB
/** Dev chain: size of a state dump of anvil, which is read as a whole. */
export const MAX_ANVIL_DUMP_BYTES: number = 128 * MIB
/** Dev chain: slots that are tried to find the balance of a token. */
export const MAX_PROBED_SLOTS = 64
/** Dev chain: blocks that one request may mine. */
export const MAX_MINED_BLOCKS_PER_REQUEST = 100_000
/** Dev chain: struct types of one EIP-712 message. */
export const MAX_TYPED_DATA_TYPES = 256

/** Time that a synchronous transaction may wait for its block: default and maximum. */
export const DEFAULT_RECEIPT_WAIT_MS = 20_000
export const MAX_RECEIPT_WAIT_MS = 60_000

/** Dev chain: snapshots that can be reverted to; the oldest is evicted. */
export const MAX_SNAPSHOTS = 4096

/** Pool: interval between checks for expired transactions. */
export const POOL_SWEEP_INTERVAL_MS = 60_000

/** MODEXP before EIP-7823: maximum length of base and modulus. Longer ones cost far more than the gas of any block. */
export const MAX_MODEXP_OPERAND_BYTES: number = 16 * MIB

/** Traces of calls: call data, code and output of all calls of one transaction, kept until it ends (estimate). */
export const MAX_CALL_TRACE_BYTES: number = 64 * MIB

/** Log of the dev chain: calls of the console address that one transaction or call may record, and bytes of each input. */
export const MAX_WATCHED_CALLS = 256
export const MAX_WATCHED_INPUT_BYTES: number = 16 * 1024
/** Log of the dev chain: entries that wait to be printed and bytes of their call data; further ones are only counted. */
export const MAX_LOG_ENTRIES = 4096
export const MAX_LOG_ENTRY_BYTES: number = 32 * MIB
/**
 * Log of the dev chain: least and greatest interval between two writes, least interval while further entries wait, time
 * and entries after which a write ends, and share of all time for it. A write should fit into the buffer of a pipe, as a
 * longer one blocks the program until the reader has read.
 */
export const LOG_FLUSH_MS = 100
export const MAX_LOG_PAUSE_MS = 400
export const LOG_NEXT_FLUSH_MS = 20
export const LOG_FLUSH_BUDGET_MS = 2
export const LOG_FLUSH_ENTRIES = 192
export const LOG_TIME_SHARE = 0.03
/** Log of the dev chain: calls shown of one transaction (--verbose). */
export const MAX_LOGGED_CALLS = 500
/** Log of the dev chain: time that failures may be executed again to find their call path, in reserve and its growth. */
export const MAX_FAILURE_TRACE_MS = 1_000
export const FAILURE_TRACE_SHARE = 0.05
/** Log of the dev chain: unread bytes at which the output waits for its reader. */
export const MAX_UNREAD_OUTPUT_BYTES: number = 256 * 1024
/** --abi: files per folder, bytes of one file, and bytes that the contracts of all files may occupy (estimate). */
export const MAX_ABI_FILES = 4096
export const MAX_ABI_FILE_BYTES: number = 8 * MIB
export const MAX_ABI_INDEX_BYTES: number = 64 * MIB

/** Trace files (debug_standardTraceBlockToFile): total size of all files, and the minimum size that each counts as. */
export const MAX_TRACE_FILES_BYTES: number = 16 * 1024 * MIB
export const TRACE_FILE_BLOCK_BYTES = 4096
/** Trace files: unwritten bytes at which the execution waits. */
export const TRACE_FILE_PENDING_BYTES: number = MIB

/** Validators after recent blocks that are kept in memory, and the distance between blocks after which they are stored. */
export const MAX_CACHED_TALLIES = 128
export const TALLY_RECORD_INTERVAL = 256

/** Calls of a permissioning contract on one state, which keeps what they read in memory. */
export const MAX_CALLS_OF_PERMISSION_STATE = 1_000

/** Verdicts of a contract about connections between nodes that are kept in memory. */
export const MAX_PERMISSION_VERDICTS = 1_024

/** Nodes of `operator generate-blockchain-config`. */
export const MAX_GENERATED_NODES = 1_000

/** Privacy: payloads of the enclave kept between the preparation and the execution of blocks, and their size. */
export const MAX_READY_PAYLOADS_BYTES: number = 64 * MIB
/** Privacy: requests to the enclave at a time. */
export const MAX_ENCLAVE_REQUESTS = 8
/** Privacy: answer of the enclave. */
export const MAX_ENCLAVE_ANSWER_BYTES: number = 32 * MIB
/** Privacy: time to connect to the enclave, and for its whole answer. */
export const ENCLAVE_CONNECT_MS = 1000
export const ENCLAVE_ANSWER_MS = 5000
/** Privacy: delays between two attempts while the enclave is away, and between two messages about it. */
export const ENCLAVE_RETRY_MIN_MS = 500
export const ENCLAVE_RETRY_MAX_MS = 10_000
export const ENCLAVE_WAIT_LOG_MS = 30_000
/** Privacy: filters of private logs, and the time after which an unused one expires. */
export const MAX_PRIVATE_FILTERS = 1024
export const PRIVATE_FILTER_TTL_MS: number = 10 * 60_000
/** Privacy: blocks with changes of its group that a filter keeps for its next poll; the oldest are dropped. */
export const MAX_PRIVATE_FILTER_BLOCKS = 10_000
