/**
 * Bounds of names, sources and decoded values of contracts. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Decoded values: items of one value together; data with more are not decoded. */
export const MAX_DECODED_ITEMS = 4096
/** Contracts without an ABI: bytes of code that are searched for selectors. */
export const MAX_SCANNED_CODE_BYTES: number = MIB
/** Contracts without an ABI: selectors of one contract. */
export const MAX_CODE_SELECTORS = 1024
/** Contracts of --abi: files per folder. */
export const MAX_ABI_FILES = 4096
/** Contracts of --abi: bytes of one artifact. */
export const MAX_ABI_FILE_BYTES: number = 8 * MIB
/** Contracts of --abi: bytes that all of them may occupy (estimate). */
export const MAX_ABI_INDEX_BYTES: number = 64 * MIB
/** Stack traces: bytes of one file of build information. */
export const MAX_BUILD_FILE_BYTES: number = 512 * MIB
/** Stack traces: files of build information of one folder that are tried for a contract, newest first. */
export const MAX_BUILD_FILES_TRIED = 32
/** Stack traces: bytes of one source file. */
export const MAX_SOURCE_FILE_BYTES: number = 2 * MIB
/** Stack traces: bytes that sources and source maps may occupy (estimate); beyond that, the oldest are read again. */
export const MAX_SOURCE_BYTES: number = 48 * MIB
/** Contracts: blocks whose receipts one request reads to find where contracts are; the next one goes on. */
export const MAX_DEPLOYMENT_BLOCKS = 2048
/** Contracts: addresses of contracts that are kept in memory. */
export const MAX_DEPLOYMENT_ADDRESSES = 16_384
/** Contracts: addresses of one contract in an answer. */
export const MAX_LISTED_ADDRESSES = 100
/** Contracts: gas of the call that asks a beacon for the implementation of a proxy. */
export const BEACON_CALL_GAS = 200_000n
/** Summary of a transaction: logs that are decoded. */
export const MAX_SUMMARY_LOGS = 10_000
/** Summary of a transaction: transfers of ether and tokens. */
export const MAX_SUMMARY_TRANSFERS = 1_000
/** Summary of a transaction: slots that changed. */
export const MAX_SUMMARY_SLOTS = 1_000
/** Summary of a transaction: accounts that changed. */
export const MAX_SUMMARY_ACCOUNTS = 1_000
/** Summary of a transaction: texts of `console.log`. */
export const MAX_SUMMARY_CONSOLE_TEXTS = 1_000
/** Summary of a transaction: accounts whose contracts are looked up for names. */
export const MAX_SUMMARY_CONTRACTS = 256
/** Summary of a transaction: time of its execution. */
export const MAX_SUMMARY_TRACE_MS = 20_000
/** Contracts: bytes of artifacts whose ABIs are kept as JSON; beyond that, the oldest are read again. */
export const MAX_ABI_DETAILS_BYTES: number = 16 * MIB
/** Build information: bytes that are read at once. */
export const BUILD_PIECE_BYTES: number = MIB
/** Build information: sources and contracts of one compilation. */
export const MAX_BUILD_ENTRIES = 16_384
/** Build information: bytes that the places of all sources and contracts may occupy (estimate). */
export const MAX_BUILD_INDEX_BYTES: number = 16 * MIB
/** Build information: bytes of one source map, layout or list of sources that are read. */
export const MAX_BUILD_VALUE_BYTES: number = 8 * MIB
/** Build information: bytes of the syntax trees that are read for one contract. */
export const MAX_SYNTAX_TREE_BYTES: number = 64 * MIB
/** Debugger: bytes that the definitions of contracts may occupy (estimate); beyond that, the oldest are read again. */
export const MAX_DEBUG_TREE_BYTES: number = 64 * MIB
/** Debugger: characters of a name or a path in a search. */
export const MAX_SEARCHED_NAME_LENGTH = 512
/** Storage of a contract: the newest blocks that are searched for keys of mappings. */
export const MAX_STORAGE_BLOCKS = 64
/** Storage of a contract: time of the execution of one transaction. */
export const MAX_STORAGE_MS = 1_000
/** Storage of a contract: slots without a known variable in an answer. */
export const MAX_UNKNOWN_SLOTS = 1_024
/** Build information: bytes of contracts that were read when they were needed, beyond those of the index (estimate). */
export const MAX_SPARE_CODE_BYTES: number = 16 * MIB
/** Debugger: steps before a moment up to which the costs of lines are recorded, unless a request asks for them. */
export const MAX_LINE_STEPS = 200_000
/** Debugger: steps before a moment that are searched for the instructions which pushed the words of the stack. */
export const MAX_ORIGIN_STEPS = 65_536
