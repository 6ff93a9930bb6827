/**
 * The program that runs a tracer in the sandbox: `log`, `db`, `ctx` and the global functions of go-ethereum's tracers,
 * over records in shared memory.
 * @see https://geth.ethereum.org/docs/developers/evm-tracing/custom-tracer
 * @module
 */
import { GETH_OPCODE_NAMES } from '../../structLog/opcodes.ts'
import { BIG_INTEGER } from './bigInteger.ts'
import * as layout from './layout.ts'

const NUMBERS: ReadonlyMap<string, unknown> = new Map(Object.entries(layout))

/** Puts the layout's numbers in place of their names: the engine reads a variable more slowly. */
function withNumbers(text: string): string {
  return text.replaceAll(/\b[A-Z][A-Z0-9_]+\b/g, (name) =>
    NUMBERS.has(name) ? JSON.stringify(NUMBERS.get(name)) : name,
  )
}

const BYTES = `
const bytes = new Uint8Array(memory)
const words16 = new Uint16Array(memory)
const words32 = new Uint32Array(memory)
const words64 = new BigUint64Array(memory)
const floats = new Float64Array(memory)

const integer = (n) => Math.trunc(Number(n)) || 0
const copied = (from, length) => bytes.slice(from, from + length)

function textAt(from, length) {
  let text = ''
  for (let i = from; i < from + length; i++) text += String.fromCharCode(bytes[i])
  return text
}

/** @param from offset of 32 bytes, little-endian */
function wordAt(from) {
  const at = from >> 3
  const high = words64[at + 3]
  const middle = words64[at + 2]
  const low = words64[at + 1]
  if (high === 0n && middle === 0n) return low === 0n ? words64[at] : (low << 64n) | words64[at]
  return (high << 192n) | (middle << 128n) | (low << 64n) | words64[at]
}

/** The answer to a question, which may be longer than the area for answers. */
function longAnswer(length) {
  const answer = new Uint8Array(length)
  for (let done = 0; done < length; ) {
    words32[0] = done
    const size = ask(ASK_PIECE)
    answer.set(bytes.subarray(0, size), done)
    done += size
  }
  return answer
}

/** An error of a helper, which a tracer cannot catch. */
let fatal
/** The part that the batch lacks, see layout.ts. */
let miss = 0
/** Whether one of them is set. */
let isStopped = false

function refuse(text) {
  if (fatal === undefined) fatal = text
  isStopped = true
  throw new Error(text)
}

function fromHex(text) {
  let digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text
  if (digits.length % 2 === 1) digits = '0' + digits
  const values = []
  for (let i = 0; i < digits.length; i += 2) {
    const pair = digits.slice(i, i + 2)
    if (!/^[0-9a-f]{2}$/i.test(pair)) break
    values.push(parseInt(pair, 16))
  }
  return Uint8Array.from(values)
}

function bufferOf(value, allowsText) {
  if (typeof value === 'string' || value instanceof String) {
    if (allowsText) return fromHex(String(value))
  } else if (Array.isArray(value)) return Uint8Array.from(value)
  else if (value instanceof Uint8Array) return value
  return refuse('invalid buffer type')
}

/** The last bytes, after zeros. */
function fitted(value, size) {
  const result = new Uint8Array(size)
  const end = value.subarray(Math.max(0, value.length - size))
  result.set(end, size - end.length)
  return result
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
function hexOf(value) {
  let text = '0x'
  for (let i = 0; i < value.length; i++) text += HEX[value[i]]
  return text
}

function giveAddress(value, allowsText) {
  bytes.set(fitted(bufferOf(value, allowsText), 20), 0)
}
`

const GLOBALS = `
function upload(value) {
  for (let done = 0; done < value.length || done === 0; done += EXCHANGE_BYTES - 8) {
    const piece = value.subarray(done, done + EXCHANGE_BYTES - 8)
    words32[0] = piece.length
    words32[1] = done
    bytes.set(piece, 8)
    if (ask(ASK_UPLOAD) === 0) refuse('the init code is too long')
  }
}

const globals = {
  bigInt,
  toHex: (value) => hexOf(bufferOf(value, false)),
  toWord: (value) => fitted(bufferOf(value, true), 32),
  toAddress: (value) => fitted(bufferOf(value, true), 20),
  toContract: (from, nonce) => {
    giveAddress(from, true)
    floats[4] = integer(nonce)
    ask(ASK_CONTRACT)
    return copied(0, 20)
  },
  toContract2: (from, salt, initCode) => {
    upload(bufferOf(initCode, true))
    giveAddress(from, true)
    bytes.set(fitted(fromHex(String(salt)), 32), 32)
    ask(ASK_CONTRACT2)
    return copied(0, 20)
  },
  isPrecompiled: (value) => {
    giveAddress(value, true)
    return ask(ASK_PRECOMPILED) === 1
  },
  slice: (value, from, to) => {
    const buffer = bufferOf(value, false)
    const start = integer(from)
    const end = integer(to)
    if (start < 0 || start > end || end > buffer.length) {
      refuse('Tracer accessed out of bound memory: available ' + buffer.length + ', offset ' + start + ', size ' + (end - start))
    }
    return buffer.slice(start, end)
  },
}
for (const name in globals) {
  Object.defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true })
}
`

const LOG = `
/** Offset of the current step. */
let at = LAST_AT
/** Error text of the current step. */
let stepError
/** Whether each step is traced when it happens, so that the host can answer about the present state. */
let isLive = false
let isOver = false

function lacks(what) {
  if (miss === 0) miss = what
  isStopped = true
  throw new Error('the trace runs again')
}

const stackSize = () => words32[(at + STEP_STACK_SIZE) >> 2]

function memorySize() {
  const size = words32[(at + STEP_MEMORY_SIZE) >> 2]
  return size === NOT_RECORDED ? lacks(MISS_MEMORY_SIZE) : size
}

/** Content of the memory, which has this part. */
function memoryPart(from, length) {
  if (length === 0) return new Uint8Array(0)
  const start = at + STEP_HEAD + 32 * words32[(at + STEP_WORDS) >> 2] + from
  if (words32[(at + STEP_HAS_MEMORY) >> 2] === 1) return copied(start, length)
  if (!isLive) return lacks(MISS_MEMORY + bytes[at + STEP_OPCODE])
  words32[0] = from
  words32[1] = length
  return longAnswer(ask(ASK_MEMORY))
}

const PAD_LIMIT = 1024 * 1024
const OUT_OF_MEMORY = 'tracer accessed out of bound memory: '

const log = {
  op: {
    toNumber: () => bytes[at + STEP_OPCODE],
    toString: () => OPCODES[bytes[at + STEP_OPCODE]],
    isPush: () => bytes[at + STEP_OPCODE] >= 0x5f && bytes[at + STEP_OPCODE] <= 0x7f,
  },
  stack: {
    peek: (n) => {
      const index = integer(n)
      const size = stackSize()
      if (index < 0 || index >= size) refuse('tracer accessed out of bound stack: size ' + size + ', index ' + index)
      const recorded = words32[(at + STEP_WORDS) >> 2]
      if (index < recorded) return bigInteger(wordAt(at + STEP_HEAD + 32 * (recorded - 1 - index)))
      return lacks(MISS_WORDS + index + 1)
    },
    length: stackSize,
  },
  memory: {
    slice: (from, to) => {
      const start = integer(from)
      const end = integer(to)
      if (start === end) return new Uint8Array(0)
      if (end < start || start < 0) refuse(OUT_OF_MEMORY + 'offset ' + start + ', end ' + end)
      const available = memorySize()
      if (end > available && end - available > PAD_LIMIT) {
        refuse('reached limit for padding memory slice: ' + (end - available))
      }
      const part = new Uint8Array(end - start)
      if (start < available) part.set(memoryPart(start, Math.min(end, available) - start))
      return part
    },
    getUint: (from) => {
      const start = integer(from)
      const available = memorySize()
      if (start < 0 || start + 32 > available) {
        refuse(OUT_OF_MEMORY + 'available ' + available + ', offset ' + start + ', size 32')
      }
      return bigInteger(BigInt(hexOf(memoryPart(start, 32))))
    },
    length: memorySize,
  },
  contract: {
    getCaller: () => frame().caller.slice(),
    getAddress: () => frame().address.slice(),
    getValue: () => bigInteger(frame().value),
    getInput: () => (frame().isCreation ? new Uint8Array(0) : frame().input.slice()),
  },
  getPC: () => words32[(at + STEP_PC) >> 2],
  getGas: () => floats[(at + STEP_GAS) >> 3],
  getCost: () => floats[(at + STEP_COST) >> 3],
  getDepth: () => words16[(at + RECORD_DEPTH) >> 1],
  getRefund: () => floats[(at + STEP_REFUND) >> 3],
  getError: () => stepError,
}

function knownState(address) {
  if (!isLive && !isOver) lacks(MISS_STATE)
  giveAddress(address, false)
}

const db = {
  getBalance: (address) => {
    knownState(address)
    ask(ASK_BALANCE)
    return bigInteger(wordAt(0))
  },
  getNonce: (address) => {
    knownState(address)
    ask(ASK_NONCE)
    return floats[0]
  },
  getCode: (address) => {
    knownState(address)
    return longAnswer(ask(ASK_CODE))
  },
  getState: (address, slot) => {
    knownState(address)
    bytes.set(fitted(bufferOf(slot, false), 32), 32)
    ask(ASK_STATE)
    return copied(0, 32)
  },
  exists: (address) => {
    knownState(address)
    return ask(ASK_EXISTS) === 1
  },
}
`

const RECORDS = `
const frames = []
const NO_FRAME = { address: new Uint8Array(20), caller: new Uint8Array(20), value: 0n, input: new Uint8Array(0) }
const frame = () => frames.length === 0 ? NO_FRAME : frames[frames.length - 1]

/** Input or output that follows a record's head. */
function dataOf(from, length, flags) {
  return (flags & FLAG_ASK) === 0 ? copied(from, length) : longAnswer(ask(ASK_LONG_DATA))
}

function step(tracer) {
  const kind = words32[(at + STEP_ERROR_KIND) >> 2]
  if (kind === 0) {
    stepError = undefined
    if (hasStep) tracer.step(log, db)
    return
  }
  const length = words32[(at + STEP_ERROR_LENGTH) >> 2]
  const error = textAt(at + words32[(at + RECORD_LENGTH) >> 2] - 8 * Math.ceil(length / 8), length)
  stepError = kind === ERROR_AT_STEP ? error : undefined
  if (hasStep) tracer.step(log, db)
  if (kind !== ERROR_AFTER_STEP || isStopped) return
  stepError = error
  place = 'fault'
  tracer.fault(log, db)
}

let entered
const callFrame = {
  getType: () => entered.type,
  getFrom: () => entered.from.slice(),
  getTo: () => entered.to.slice(),
  getInput: () => entered.input.slice(),
  getGas: () => entered.gas,
  getValue: () => (entered.hasValue ? bigInteger(entered.value) : undefined),
}

function enter(tracer, record) {
  const flags = words32[(record + ENTER_FLAGS) >> 2]
  const type = CALL_TYPES[bytes[record + ENTER_TYPE]]
  const opened = {
    type,
    isCreation: type === 'CREATE' || type === 'CREATE2',
    address: copied(record + ENTER_ADDRESS, 20),
    caller: copied(record + ENTER_CALLER, 20),
    from: copied(record + ENTER_FROM, 20),
    to: copied(record + ENTER_TO, 20),
    gas: floats[(record + ENTER_GAS) >> 3],
    hasValue: (flags & FLAG_HAS_VALUE) !== 0,
    value: wordAt(record + ENTER_VALUE),
    input: dataOf(record + ENTER_HEAD, words32[(record + ENTER_INPUT_LENGTH) >> 2], flags),
  }
  frames.push(opened)
  if (!hasFrames || words16[(record + RECORD_DEPTH) >> 1] === 0) return
  entered = opened
  tracer.enter(callFrame)
}

let ended
const frameResult = {
  getGasUsed: () => ended.gasUsed,
  getOutput: () => ended.output.slice(),
  getError: () => ended.error,
}

function exit(tracer, record) {
  frames.pop()
  if (!hasFrames || words16[(record + RECORD_DEPTH) >> 1] === 0) return
  const errorLength = words32[(record + EXIT_ERROR_LENGTH) >> 2]
  const flags = words32[(record + EXIT_FLAGS) >> 2]
  ended = {
    gasUsed: floats[(record + EXIT_GAS_USED) >> 3],
    error: errorLength === 0 ? undefined : textAt(record + EXIT_HEAD, errorLength),
    output: dataOf(record + EXIT_HEAD + errorLength, words32[(record + EXIT_OUTPUT_LENGTH) >> 2], flags),
  }
  tracer.exit(frameResult)
}
`

const ENTRIES = `
const { stringify, parse } = JSON
const compile = eval
const textOf = String
let tracer
let hasStep = false
let hasFrames = false
/** The tracer's function that is running. */
let place = ''

/** The engine throws null when there is no memory for an error. */
function describe(error) {
  try {
    return fatal ?? (error === null ? 'InternalError: out of memory' : textOf(error))
  } catch {}
  return 'an error whose text cannot be read'
}
const failure = (error) => describe(error) + "    in server-side tracer function '" + place + "'"

/** @returns flags of the functions that the tracer has, or why it is not a tracer */
function load(text) {
  const { code, config, live } = parse(text)
  isLive = live
  try {
    tracer = compile('(' + code + ')')
    if (tracer === undefined || tracer === null) throw new TypeError('Cannot convert undefined or null to object')
    const isFunction = (name) => typeof tracer[name] === 'function'
    if (!isFunction('result')) return 'trace object must expose a function result()'
    if (!isFunction('fault')) return 'trace object must expose a function fault()'
    hasStep = isFunction('step')
    hasFrames = isFunction('enter')
    if (hasFrames !== isFunction('exit')) return 'trace object must expose either both or none of enter() and exit()'
    if (isFunction('setup')) tracer.setup(config)
    if (fatal !== undefined) return fatal
    return (hasStep ? HAS_STEP : 0) | (hasFrames ? HAS_FRAMES : 0)
  } catch (error) {
    return describe(error)
  }
}

/**
 * Traces steps without errors, which are most of them, in a loop that uses few variables of the closure.
 * @returns the first record that is not such a step
 */
function plainSteps(tracer, first, end, bytes, words32, log, db) {
  let record = first
  while (record < end && bytes[record] === KIND_STEP && words32[(record + STEP_ERROR_KIND) >> 2] === 0) {
    at = record
    stepError = undefined
    tracer.step(log, db)
    if (isStopped) break
    record += words32[(record + RECORD_LENGTH) >> 2]
  }
  return record
}

/** @returns 0, the number of what is missing, or the text of an error */
function run(end) {
  try {
    for (let record = BATCH_AT; record < end; record += words32[(record + RECORD_LENGTH) >> 2]) {
      place = 'step'
      record = plainSteps(tracer, record, end, bytes, words32, log, db)
      if (isStopped || record >= end) break
      const kind = bytes[record]
      if (kind === KIND_STEP) {
        at = record
        step(tracer)
      } else if (kind === KIND_ENTER) {
        place = 'enter'
        enter(tracer, record)
      } else {
        place = 'exit'
        exit(tracer, record)
      }
      if (isStopped) break
    }
    if (miss !== 0) return miss
    if (fatal !== undefined) return failure()
  } catch (error) {
    return miss === 0 ? failure(error) : miss
  }
  if (at !== LAST_AT) {
    const length = words32[(at + RECORD_LENGTH) >> 2]
    bytes.copyWithin(LAST_AT, at, at + Math.min(LAST_BYTES, length))
    at = LAST_AT
    if (length > LAST_BYTES) {
      words32[(at + STEP_HAS_MEMORY) >> 2] = 0
      words32[(at + STEP_WORDS) >> 2] = 0
    }
  }
  return 0
}

/** @returns the result as JSON after '=', the text of an error after '!', or the number of what is missing */
function result(text) {
  const { context, hidden, maximum } = parse(text)
  place = 'result'
  isOver = true
  const ctx = {}
  for (const name in context) {
    const { hex, big, value } = context[name]
    ctx[name] = hex !== undefined ? fromHex(hex) : big !== undefined ? bigInteger(BigInt(big)) : value
  }
  for (const name in hidden) Object.defineProperty(ctx, name, { value: hidden[name], writable: true, configurable: true })
  try {
    const value = tracer.result(ctx, db)
    if (miss !== 0) return miss
    if (fatal !== undefined) return '!' + failure()
    // As in go-ethereum.
    if (typeof value === 'number' && !isFinite(value)) return '!json: unsupported value: ' + value
    const isEmpty = value === undefined || value === null || typeof value === 'symbol'
    const json = isEmpty ? '{}' : stringify(value)
    const answer = json === undefined ? 'null' : json
    if (answer.length > maximum) return '!the result is longer than ' + maximum + ' characters'
    return '=' + answer
  } catch (error) {
    return miss === 0 ? '!' + failure(error) : miss
  }
}

return { load, run, result }
`

/** A script whose value is a function (memory, ask) that returns the entries load, run and result. */
export const TRACER_PROGRAM: string = withNumbers(
  [
    "(function (memory, ask) {\n'use strict'",
    `const OPCODES = ${JSON.stringify(GETH_OPCODE_NAMES)}`,
    BIG_INTEGER,
    BYTES,
    GLOBALS,
    LOG,
    RECORDS,
    ENTRIES,
    '})',
  ].join('\n'),
)
