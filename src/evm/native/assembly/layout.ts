/**
 * The memory layout of the module and the meaning of its numbers, shared by both sides. Read abi.md first.
 * AssemblyScript and TypeScript both compile this file, so it holds plain numbers only. Offsets are in bytes; fields
 * are u32 unless stated otherwise; a u64 is two u32, low half first.
 * @module
 */

// ---- fixed areas -------------------------------------------------------------------------------------------------

/** Registers that the host may read at any exit. */
export const STATE = 0x2000
/** The request that run() returned with, and its answer. */
export const REQUEST = 0x2100
/** Arguments of enterTop(), written by the host. */
export const FRAME_ARGS = 0x2400
/** Block and transaction, written once per message. */
export const ENVIRONMENT = 0x2500
/** Gas table, flags and costs of the fork, written when they change. */
export const RULES = 0x2800
/** 256 u8: nonzero for opcodes that exit with EXIT_STEP; written before STATE_STEPPING is set. */
export const STEP_OPCODES = 0x2b00
/** PRECOMPILE_COUNT addresses of 20 bytes: the precompiles of the fork, written with RULES. */
export const PRECOMPILES = 0x2c00
/** A u32; the addresses before it leave space for 51. */
export const PRECOMPILE_COUNT = 0x2ffc
/** Working memory of the module. */
export const SCRATCH = 0x3000
/** The slots of blocks.ts. */
export const BLOCKS = 0x5000
/** Start of the arena (bump-allocated memory). */
export const ARENA = 0x15000

// ---- STATE -------------------------------------------------------------------------------------------------------

/** Header of the running frame; changes at every run(). */
export const STATE_FRAME = 0x2000
/** The exit whose answer the next run() takes; 0 when there is none. */
export const STATE_PENDING = 0x2004
/** Deepest frame so far, 0 for the top frame. Includes calls of accounts without code, but not precompiles. */
export const STATE_MAX_DEPTH = 0x2008
/** 1 once an SSTORE has run, even if its frame failed. */
export const STATE_STORAGE_WRITTEN = 0x200c
/** i64: refund counter, reverted with the frames. */
export const STATE_REFUND = 0x2010
/** i64: gas that may be used until EXIT_PAUSED. The host writes it before run(); the module counts it down. */
export const STATE_BUDGET = 0x2018
export const STATE_ADDRESS_TABLE = 0x2028
export const STATE_ADDRESS_COUNT = 0x202c
export const STATE_SLOT_TABLE = 0x2030
export const STATE_SLOT_COUNT = 0x2034
/** Bytes that were refused, after EXIT_NO_MEMORY. */
export const STATE_MEMORY_WANTED = 0x2038
/** 1: run() returns EXIT_STEP before the opcodes of STEP_OPCODES (tracing). */
export const STATE_STEPPING = 0x203c
/**
 * i64: the gas after the cost of the opcode that halted with HALT_OUT_OF_GAS (negative, except at the sentry of
 * EIP-2200) or HALT_INVALID_JUMP.
 */
export const STATE_GAS_AFTER = 0x2040
/** Pages of 64 KiB that the memory may have; written by the host, kept by reset(). At most MOST_PAGES. */
export const STATE_MEMORY_LIMIT = 0x2048
/** u64: steps that have begun, while STATE_STEPPING is set. The only step of a frame without code does not count. */
export const STATE_STEP_COUNT = 0x2050
/** u64: index of the first step that exits whatever its opcode is; written by the host at any exit. */
export const STATE_STEP_FROM = 0x2058
/** u64: number of such steps. */
export const STATE_STEP_LENGTH = 0x2060
/** u64: index of the first step that may exit; written by the host before the first run(). */
export const STATE_STEP_BEGIN = 0x2068
/** STATE_SEED_BYTES random bytes: the secret numbers of the hash tables, written by the host before reset(). */
export const STATE_SEED = 0x2080
export const STATE_SEED_BYTES = 40

// ---- what run() returns --------------------------------------------------------------------------------------------

/** The top frame has ended and its end has been answered; the execution is finished. */
export const EXIT_DONE = 1
/** A frame has ended and the host must complete it. */
export const EXIT_FRAME_END = 2
/** STATE_BUDGET is used up. */
export const EXIT_PAUSED = 3
/** The memory cannot grow; nothing has changed, run() tries the same opcode again. */
export const EXIT_NO_MEMORY = 4
/** Before an opcode of STEP_OPCODES; only while STATE_STEPPING is set. */
export const EXIT_STEP = 5
/** The module needs the account and code at the target of a call. */
export const EXIT_CALL = 6
/** A child frame that moves value, creates a contract or is traced was pushed. */
export const EXIT_ENTER = 7
/** A call without code to run: an account without code, or a precompile. */
export const EXIT_CALL_DIRECT = 8
export const EXIT_CREATE = 9
export const EXIT_SELFDESTRUCT = 10
export const EXIT_STORAGE = 11
export const EXIT_BALANCE = 12
export const EXIT_CODE_SIZE = 13
export const EXIT_CODE_HASH = 14
export const EXIT_CODE = 15
export const EXIT_BLOCK_HASH = 16
export const EXIT_LOG = 17
/** A traced frame's call or creation that does not begin; does not occur for creations answered with CREATE_REFUSED. */
export const EXIT_REFUSED = 18

// ---- REQUEST: questions ----------------------------------------------------------------------------------------------

/** 20 bytes: the requested account (call target, beneficiary, BALANCE …). */
export const REQUEST_ADDRESS = 0x2100
/** CALL_*, or CREATE_*. */
export const REQUEST_KIND = 0x2114
/** Index of REQUEST_ADDRESS in the address table. */
export const REQUEST_ADDRESS_ID = 0x2118
/** 1 when REQUEST_VALUE is not 0. */
export const REQUEST_HAS_VALUE = 0x211c
/** 32 bytes: wei to move. */
export const REQUEST_VALUE = 0x2120
/** 32 bytes: the slot (EXIT_STORAGE), or the salt (CREATE2). */
export const REQUEST_SLOT = 0x2140
/** Input of a call, init code of a creation, data of a log. */
export const REQUEST_DATA = 0x2160
export const REQUEST_DATA_LENGTH = 0x2164
/**
 * u64: gas for a call without code or for a creation; after a refusal, the gas the child would have received; u64:
 * number of a block (EXIT_BLOCK_HASH). Answer of EXIT_CALL_DIRECT: the gas left.
 */
export const REQUEST_GAS = 0x2168
export const REQUEST_NUMBER = 0x2168
export const REQUEST_TOPIC_COUNT = 0x2170
/** END_*; the host may change END_SUCCESS to END_HALT. */
export const REQUEST_END = 0x2174
/** HALT_* when REQUEST_END is END_HALT. */
export const REQUEST_HALT = 0x2178
/** 4 times 32 bytes. */
export const REQUEST_TOPICS = 0x2180

// ---- REQUEST: answers ------------------------------------------------------------------------------------------------

/** TARGET_* (EXIT_CALL, EXIT_SELFDESTRUCT), or CREATE_GO … (EXIT_CREATE), or 1 for success (EXIT_CALL_DIRECT). */
export const ANSWER_FLAGS = 0x2200
export const ANSWER_CODE = 0x2204
export const ANSWER_CODE_LENGTH = 0x2208
/** Jump destinations of ANSWER_CODE, as written by analyze(). */
export const ANSWER_BITMAP = 0x220c
/** 20 bytes: delegation target (EIP-7702), or the address of the new contract. */
export const ANSWER_ADDRESS = 0x2210
/** Return data of a call without code, or of a frame that ended; written by the module for EXIT_FRAME_END. */
export const ANSWER_OUTPUT = 0x2224
export const ANSWER_OUTPUT_LENGTH = 0x2228
/** 32 bytes: current value of the slot, balance, code hash, block hash. */
export const ANSWER_WORD = 0x2240
/** 32 bytes: value of the slot at the start of the transaction. */
export const ANSWER_ORIGINAL = 0x2260

export const TARGET_CODE = 1
export const TARGET_PRECOMPILE = 2
/** The new-account cost is due for the account. */
export const TARGET_NEW = 4
/** ANSWER_ADDRESS is the account whose code runs; the code in the answer is that account's. */
export const TARGET_DELEGATED = 8
/** The caller's balance is below REQUEST_VALUE. */
export const TARGET_UNPAYABLE = 16
/** With TARGET_PRECOMPILE: it copies its input, and a call without value has no other effect. */
export const TARGET_IDENTITY = 32

/** Push the frame; ANSWER_ADDRESS is set. */
export const CREATE_GO = 1
/** The balance is insufficient: 0 on the stack, and the caller keeps the gas. */
export const CREATE_REFUSED = 2
/** The address is occupied: 0 on the stack, and the gas of the child is consumed. */
export const CREATE_COLLISION = 3
/** Like CREATE_REFUSED, because the creator's nonce has reached its maximum. */
export const CREATE_NONCE_OVERFLOW = 4

export const CALL_CALL = 0
export const CALL_CALLCODE = 1
export const CALL_DELEGATECALL = 2
export const CALL_STATICCALL = 3
export const CREATE_CREATE = 4
export const CREATE_CREATE2 = 5

export const END_SUCCESS = 1
export const END_REVERT = 2
export const END_HALT = 3
/** Success by SELFDESTRUCT; the beneficiary is REQUEST_ADDRESS. The host may leave it or answer END_SUCCESS. */
export const END_SELFDESTRUCT = 4

export const HALT_OUT_OF_GAS = 1
export const HALT_STACK_UNDERFLOW = 2
export const HALT_STACK_OVERFLOW = 3
export const HALT_INVALID_JUMP = 4
export const HALT_INVALID_OPCODE = 5
export const HALT_RETURN_DATA_BOUNDS = 6
export const HALT_STATIC_STATE_CHANGE = 7
export const HALT_CODE_TOO_LARGE = 8

// ---- frame header ------------------------------------------------------------------------------------------------------

/** Header of the caller, 0 for the top frame. */
export const FRAME_PARENT = 0
export const FRAME_DEPTH = 4
/** FRAME_IS_*. */
export const FRAME_FLAGS = 8
/**
 * Written by the host: nonzero once it has opened a checkpoint for the frame. A frame with 0 ends without
 * EXIT_FRAME_END.
 */
export const FRAME_MARKED = 12
/** Offset in the code of the next opcode, or of the opcode that caused the exit. */
export const FRAME_PC = 16
/** Pointer to the end of the stack, after the top word. */
export const FRAME_SP = 20
/** i64 */
export const FRAME_GAS = 24
export const FRAME_CODE = 32
export const FRAME_CODE_LENGTH = 36
export const FRAME_BITMAP = 40
export const FRAME_INPUT = 44
export const FRAME_INPUT_LENGTH = 48
export const FRAME_MEMORY = 52
/** Bytes in use, a multiple of 32. */
export const FRAME_MEMORY_LENGTH = 56
export const FRAME_RETURN = 60
export const FRAME_RETURN_LENGTH = 64
export const FRAME_ADDRESS_ID = 68
/** Length of the journal at the start of the frame. */
export const FRAME_JOURNAL = 72
/** Offset in this frame's memory for the output of the running child. */
export const FRAME_OUTPUT_OFFSET = 76
export const FRAME_OUTPUT_LENGTH = 80
/** CALL_* or CREATE_* that created the frame. */
export const FRAME_KIND = 84
/** i64: refund counter at the start of the frame. */
export const FRAME_REFUND = 88
/** 20 bytes */
export const FRAME_ADDRESS = 96
/** 20 bytes */
export const FRAME_CALLER = 116
/** 32 bytes: CALLVALUE. Under DELEGATECALL no value is transferred, regardless of this field. */
export const FRAME_VALUE = 136
/** 20 bytes: the requested account under CALLCODE and DELEGATECALL, otherwise the frame's own address. */
export const FRAME_TARGET = 168
/** Bits of positions whose steps exit, in the arena; 0 for none. Written by the host at EXIT_ENTER. */
export const FRAME_POSITIONS = 188
/** Size of the bits, bytes. */
export const FRAME_POSITIONS_LENGTH = 192
/** The stack follows the header: 1024 words of four u64, least significant first. */
export const FRAME_STACK = 256
export const FRAME_STACK_BYTES = 32768

export const FRAME_IS_STATIC = 1
export const FRAME_IS_CREATE = 2
/** Its child frames are traced too; all of them have EXIT_ENTER, EXIT_FRAME_END and EXIT_REFUSED. */
export const FRAME_IS_TRACED = 4

// ---- FRAME_ARGS --------------------------------------------------------------------------------------------------------

export const ARGS_CODE = 0x2400
export const ARGS_CODE_LENGTH = 0x2404
export const ARGS_BITMAP = 0x2408
export const ARGS_INPUT = 0x240c
export const ARGS_INPUT_LENGTH = 0x2410
/** FRAME_IS_*. */
export const ARGS_FLAGS = 0x2414
/** i64 */
export const ARGS_GAS = 0x2418
/** 20 bytes */
export const ARGS_ADDRESS = 0x2420
/** 20 bytes */
export const ARGS_CALLER = 0x2434
/** 32 bytes */
export const ARGS_VALUE = 0x2448

/** Number of zero bytes that must follow code, so that the interpreter needs no bounds check. */
export const CODE_PADDING = 64

// ---- ENVIRONMENT: 32 bytes each, big-endian ------------------------------------------------------------------------------

export const ENV_ORIGIN = 0x2500
export const ENV_GAS_PRICE = 0x2520
export const ENV_COINBASE = 0x2540
export const ENV_TIMESTAMP = 0x2560
export const ENV_NUMBER = 0x2580
/** Difficulty, or PREVRANDAO since EIP-4399. */
export const ENV_RANDOM = 0x25a0
export const ENV_GAS_LIMIT = 0x25c0
export const ENV_CHAIN_ID = 0x25e0
export const ENV_BASE_FEE = 0x2600
export const ENV_BLOB_BASE_FEE = 0x2620
/** Pointer to ENV_BLOB_COUNT hashes of 32 bytes. */
export const ENV_BLOB_HASHES = 0x2640
export const ENV_BLOB_COUNT = 0x2644

// ---- RULES -------------------------------------------------------------------------------------------------------------

/** 256 u16: static cost of each opcode (LOGn including its topics), GAS_UNDEFINED for opcodes that the fork lacks. */
export const RULE_GAS_TABLE = 0x2800
export const GAS_UNDEFINED = 0xffff
/** RULE_HAS_*. */
export const RULE_FLAGS = 0x2a00
/** EIP-2929 */
export const RULE_COLD_ACCOUNT = 0x2a04
export const RULE_COLD_SLOT = 0x2a08
/** Warm access; 0 before EIP-2929, when the static cost includes the access. */
export const RULE_WARM = 0x2a0c
export const RULE_EXP_BYTE = 0x2a10
export const RULE_KECCAK_WORD = 0x2a14
export const RULE_COPY_WORD = 0x2a18
export const RULE_LOG_BYTE = 0x2a1c
/** EIP-3860: per word of init code; 0 before. */
export const RULE_INIT_CODE_WORD = 0x2a20
/** EIP-3860: maximum size of init code in bytes; 0xffffffff before. */
export const RULE_INIT_CODE_LIMIT = 0x2a24
export const RULE_CALL_VALUE = 0x2a28
export const RULE_CALL_STIPEND = 0x2a2c
export const RULE_NEW_ACCOUNT = 0x2a30
/** STORAGE_*. */
export const RULE_STORAGE = 0x2a34
/** EIP-2200: an SSTORE requires more gas than this. */
export const RULE_STORAGE_SENTRY = 0x2a38
/** From an original zero to nonzero. */
export const RULE_STORAGE_SET = 0x2a3c
/** From an original nonzero value to another value (5000; 2900 since EIP-2929). */
export const RULE_STORAGE_RESET = 0x2a40
/** No change, or a change of a slot that this transaction has already changed (200, 800, 100). */
export const RULE_STORAGE_DIRTY = 0x2a44
/** Refund for clearing (15000; 4800 since EIP-3529). */
export const RULE_STORAGE_CLEAR_REFUND = 0x2a48
/** Refund for restoring an original zero (19800, 19200, 19900). */
export const RULE_STORAGE_UNSET_REFUND = 0x2a4c
/** Refund for restoring an original nonzero value (4800, 4200, 2800). */
export const RULE_STORAGE_RESTORE_REFUND = 0x2a50

/** Before EIP-1283, and Petersburg. */
export const STORAGE_LEGACY = 0
/** EIP-1283 */
export const STORAGE_NET = 1
/** EIP-2200 and later */
export const STORAGE_SENTRY = 2

/** EIP-2929 */
export const RULE_HAS_ACCESS_LISTS = 1
/** EIP-150 */
export const RULE_HAS_ALL_BUT_ONE_64TH = 2
/** EIP-161: only a call with value pays for a new account. */
export const RULE_HAS_STATE_CLEARING = 4

// ---- tables that the host reads --------------------------------------------------------------------------------------

/** Size of an entry of the address table; ids count from 0. */
export const ADDRESS_BYTES = 80
/** 20 bytes */
export const ADDRESS_KEY = 0
/** ADDRESS_IS_*. */
export const ADDRESS_FLAGS = 24
export const ADDRESS_CODE = 28
export const ADDRESS_CODE_LENGTH = 32
export const ADDRESS_BITMAP = 36
export const ADDRESS_DELEGATE = 40
/** A word of four u64, least significant first: the balance, while ADDRESS_HAS_BALANCE is set. */
export const ADDRESS_BALANCE = 48

export const ADDRESS_IS_WARM = 1
/** Warmed by the host (warmAddress), not by executed code. */
export const ADDRESS_IS_PRESET = 2
export const ADDRESS_HAS_CODE = 4
export const ADDRESS_IS_DELEGATED = 8
export const ADDRESS_HAS_BALANCE = 16
export const ADDRESS_HAS_PRECOMPILE = 32
/** Set only together with ADDRESS_HAS_PRECOMPILE. */
export const ADDRESS_HAS_IDENTITY = 64

/**
 * Size of an entry of the slot table: three words of four u64, least significant first (slotKey and slotValue return
 * bytes).
 */
export const SLOT_BYTES = 112
export const SLOT_KEY = 0
export const SLOT_CURRENT = 32
export const SLOT_ORIGINAL = 64
export const SLOT_ADDRESS_ID = 96
/** SLOT_IS_*. */
export const SLOT_FLAGS = 100
/**
 * Used by the module only: length of the journal after the last record of a write to the slot, 0 when there is none.
 */
export const SLOT_RECORD = 104

export const SLOT_IS_LOADED = 1
export const SLOT_IS_WARM = 2
/** Written by a frame that was not reverted; must be flushed. */
export const SLOT_IS_DIRTY = 4
/** Warmed by the host (warmSlot), not by executed code. */
export const SLOT_IS_PRESET = 8

/** Almost 4 GiB: the end of every range still fits into 32 bits. */
export const MOST_PAGES = 0xfff0

/** Maximum number of frames below the top one. */
export const MAX_CALL_DEPTH = 1024
