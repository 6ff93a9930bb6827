/**
 * The memory that the host and the program in the sandbox share: an area for questions and answers, a copy of the last
 * step, and a batch of records, each of which is a step, the start of a call or its end.
 * @module
 */

/** Questions, answers and pieces of longer ones. */
export const EXCHANGE_BYTES = 32_768
/** The last step of the preceding batch. */
export const LAST_AT = 32_768
export const LAST_BYTES = 8192
export const BATCH_AT: number = LAST_AT + LAST_BYTES
export const BATCH_BYTES: number = 256 * 1024
export const SHARED_BYTES: number = BATCH_AT + BATCH_BYTES

/** Records begin at multiples of this number. */
export const ALIGNMENT = 8

/** Offsets of every record: kind (u8), depth (u16), length (u32). */
export const RECORD_KIND = 0
export const RECORD_DEPTH = 2
export const RECORD_LENGTH = 4

export const KIND_STEP = 1
export const KIND_ENTER = 2
export const KIND_EXIT = 3

/** Offsets of a step. Stack words follow the head, bottom first and little-endian; then memory; then the error text. */
export const STEP_OPCODE = 1
export const STEP_GAS = 8
export const STEP_COST = 16
export const STEP_REFUND = 24
export const STEP_PC = 32
export const STEP_STACK_SIZE = 36
export const STEP_MEMORY_SIZE = 40
export const STEP_WORDS = 44
export const STEP_HAS_MEMORY = 48
export const STEP_ERROR_LENGTH = 52
export const STEP_ERROR_KIND = 56
export const STEP_HEAD = 64

/** Known when the opcode was charged: `step` sees the error. */
export const ERROR_AT_STEP = 1
/** Known when the opcode ran: `fault` follows the step. */
export const ERROR_AFTER_STEP = 2

/** The size or the content of the memory was not recorded. */
export const NOT_RECORDED = 0xffff_ffff

/** Offsets of the start of a call. The input follows the head. */
export const ENTER_TYPE = 1
export const ENTER_GAS = 8
export const ENTER_INPUT_LENGTH = 16
export const ENTER_FLAGS = 20
export const ENTER_ADDRESS = 24
export const ENTER_CALLER = 44
export const ENTER_FROM = 64
export const ENTER_TO = 84
export const ENTER_VALUE = 104
export const ENTER_HEAD = 136

/** Offsets of the end of a call. The error text follows the head, then the output. */
export const EXIT_GAS_USED = 8
export const EXIT_OUTPUT_LENGTH = 16
export const EXIT_FLAGS = 20
export const EXIT_ERROR_LENGTH = 24
export const EXIT_HEAD = 32

export const FLAG_HAS_VALUE = 1
/** Input or output is too long for a batch; the program asks for it. */
export const FLAG_ASK = 2

export const CALL_TYPES = [
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
] as const

/** Questions of the program. */
export const ASK_MEMORY = 1
export const ASK_PIECE = 2
export const ASK_BALANCE = 3
export const ASK_NONCE = 4
export const ASK_CODE = 5
export const ASK_STATE = 6
export const ASK_EXISTS = 7
export const ASK_CONTRACT = 8
export const ASK_CONTRACT2 = 9
export const ASK_PRECOMPILED = 10
export const ASK_LONG_DATA = 11
export const ASK_UPLOAD = 12

/** Why a batch cannot be traced: something that it does not contain. The low 16 bits name the detail. */
export const MISS_WORDS = 0x1_0000
export const MISS_MEMORY_SIZE = 0x2_0000
export const MISS_MEMORY = 0x3_0000
export const MISS_STATE = 0x4_0000

/** Functions that a tracer has. */
export const HAS_STEP = 1
export const HAS_FRAMES = 2
