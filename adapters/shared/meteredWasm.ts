/**
 * Makes a WebAssembly module ask its host for the time while it runs, so that code which never returns ends. An
 * interpreter asks the host only between the instructions of its scripts; one function of its library, such as a search
 * in a long string, could run for hours.
 * @see https://webassembly.github.io/spec/core/binary
 * @module
 */

const SECTION_TYPE = 1
const SECTION_IMPORT = 2
const SECTION_GLOBAL = 6
const SECTION_CODE = 10
const HEADER_BYTES = 8
const EXTERNAL_FUNCTION = 0
const FUNCTION_TYPE = 0x60
const TYPE_I32 = 0x7f
const TYPE_F64 = 0x7c
const MUTABLE = 1

const LOOP = 0x03
const IF = 0x04
const ELSE = 0x05
const END = 0x0b
const CALL = 0x10
const DROP = 0x1a
const GLOBAL_GET = 0x23
const GLOBAL_SET = 0x24
const I32_CONST = 0x41
const I32_EQZ = 0x45
const I32_LE_S = 0x4c
const I32_SUB = 0x6b
const PREFIX_BULK = 0xfc
const MEMORY_COPY = 10
const MEMORY_FILL = 11
const NO_RESULT = 0x40

/** Work between two questions: turns of loops, where a copy in memory counts as many. They take some milliseconds. */
const WORK_PER_QUESTION = 100_000
const WORK_OF_A_COPY = 1000

export interface MeteredModule {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The import that is called in between: a function without parameters that returns the time. */
  readonly clock: ImportName
}

interface ImportName {
  readonly module: string
  readonly name: string
}

interface FoundImport extends ImportName {
  readonly index: number
}

/** @throws {TypeError} for a module with instructions that are not known here, or without a clock among its imports */
export function meterModule(module: Uint8Array): MeteredModule {
  const out = new Writer(module.length + (module.length >> 2))
  out.copy(module.subarray(0, HEADER_BYTES))
  let counter = 0
  let clockTypes: readonly number[] = []
  let clock: FoundImport | undefined
  const reader = new Reader(module, HEADER_BYTES)
  while (reader.at < module.length) {
    const id = reader.byte()
    const end = reader.unsigned() + reader.at
    const section = module.subarray(reader.at, end)
    const body = new Reader(module, reader.at)
    if (id === SECTION_TYPE) clockTypes = typesOfClocks(new Reader(module, reader.at))
    if (id === SECTION_IMPORT) clock = clockAmong(new Reader(module, reader.at), clockTypes)
    if (id === SECTION_GLOBAL) {
      counter = body.unsigned()
      out.section(id, (to) => {
        to.unsigned(counter + 1)
        to.copy(module.subarray(body.at, end))
        to.copy([TYPE_I32, MUTABLE, I32_CONST])
        to.signed(WORK_PER_QUESTION)
        to.copy([END])
      })
    } else if (id === SECTION_CODE) {
      if (clock === undefined) throw new TypeError('the WebAssembly module imports no clock')
      const { index } = clock
      out.section(id, (to) => meterCode(body, to, { counter, clock: index }))
    } else {
      out.copy([id])
      out.unsigned(section.length)
      out.copy(section)
    }
    reader.at = end
  }
  return { bytes: out.bytes(), clock: clock as FoundImport }
}

/** Indexes of the types of functions from nothing to one f64. */
function typesOfClocks(reader: Reader): number[] {
  const found: number[] = []
  const count = reader.unsigned()
  for (let type = 0; type < count; type++) {
    if (reader.byte() !== FUNCTION_TYPE) throw new TypeError('the WebAssembly module has types that are not known')
    const parameters = reader.bytes(reader.unsigned())
    const results = reader.bytes(reader.unsigned())
    if (parameters.length === 0 && results.length === 1 && results[0] === TYPE_F64) found.push(type)
  }
  return found
}

/** The first function with one of these types. Imports of memories, tables and globals may follow it only. */
function clockAmong(reader: Reader, types: readonly number[]): FoundImport | undefined {
  const count = reader.unsigned()
  for (let index = 0; index < count; index++) {
    const module = reader.text()
    const name = reader.text()
    if (reader.byte() !== EXTERNAL_FUNCTION) return undefined
    if (types.includes(reader.unsigned())) return { module, name, index }
  }
  return undefined
}

interface Meter {
  /** Index of the global that counts down to the next question. */
  readonly counter: number
  readonly clock: number
}

/** Instructions that count work and leave the operands of those around them alone. */
class Inserted {
  readonly #to = new Writer(32)
  readonly #meter: Meter

  constructor(meter: Meter) {
    this.#meter = meter
  }

  /** The counter is at least 1 before. */
  turn(): Uint8Array {
    this.#subtract(1)
    this.#global(GLOBAL_GET)
    this.#to.copy([I32_EQZ, IF, NO_RESULT])
    this.#ask()
    this.#to.copy([END])
    return this.#to.bytes()
  }

  copy(): Uint8Array {
    this.#global(GLOBAL_GET)
    this.#constant(WORK_OF_A_COPY)
    this.#to.copy([I32_LE_S, IF, NO_RESULT])
    this.#ask()
    this.#to.copy([ELSE])
    this.#subtract(WORK_OF_A_COPY)
    this.#to.copy([END])
    return this.#to.bytes()
  }

  #ask(): void {
    this.#constant(WORK_PER_QUESTION)
    this.#global(GLOBAL_SET)
    this.#to.copy([CALL])
    this.#to.unsigned(this.#meter.clock)
    this.#to.copy([DROP])
  }

  #subtract(work: number): void {
    this.#global(GLOBAL_GET)
    this.#constant(work)
    this.#to.copy([I32_SUB])
    this.#global(GLOBAL_SET)
  }

  #global(opcode: number): void {
    this.#to.copy([opcode])
    this.#to.unsigned(this.#meter.counter)
  }

  #constant(value: number): void {
    this.#to.copy([I32_CONST])
    this.#to.signed(value)
  }
}

function meterCode(reader: Reader, to: Writer, meter: Meter): void {
  const count = reader.unsigned()
  to.unsigned(count)
  const ofTurn = new Inserted(meter).turn()
  const ofCopy = new Inserted(meter).copy()
  for (let i = 0; i < count; i++) {
    const end = reader.unsigned() + reader.at
    const body = new Writer(end - reader.at + 1024)
    let copied = reader.at
    const insert = (instructions: Uint8Array, at: number): void => {
      body.copy(reader.source.subarray(copied, at))
      body.copy(instructions)
      copied = at
    }
    for (let groups = reader.unsigned(); groups > 0; groups--) {
      reader.unsigned()
      reader.byte()
    }
    while (reader.at < end) {
      const at = reader.at
      const opcode = reader.byte()
      if (opcode === PREFIX_BULK && isCopy(reader.source[reader.at])) insert(ofCopy, at)
      reader.skipImmediates(opcode)
      if (opcode === LOOP) insert(ofTurn, reader.at)
    }
    body.copy(reader.source.subarray(copied, end))
    const metered = body.bytes()
    to.unsigned(metered.length)
    to.copy(metered)
  }
}

function isCopy(operation: number | undefined): boolean {
  return operation === MEMORY_COPY || operation === MEMORY_FILL
}

class Reader {
  readonly source: Uint8Array
  at: number

  constructor(source: Uint8Array, at: number) {
    this.source = source
    this.at = at
  }

  byte(): number {
    return this.source[this.at++] as number
  }

  bytes(length: number): Uint8Array {
    this.at += length
    return this.source.subarray(this.at - length, this.at)
  }

  text(): string {
    return String.fromCharCode(...this.bytes(this.unsigned()))
  }

  unsigned(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte()
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }

  /** A number in LEB128, of any type. */
  #skipNumber(): void {
    while (this.byte() >= 128);
  }

  skipImmediates(opcode: number): void {
    if (opcode === 0x02 || opcode === LOOP || opcode === IF) this.#skipNumber()
    else if (opcode === 0x0c || opcode === 0x0d || opcode === 0x10) this.#skipNumber()
    else if (opcode === 0x0e) for (let labels = this.unsigned() + 1; labels > 0; labels--) this.#skipNumber()
    else if (opcode === 0x11) this.#skipNumbers(2)
    else if (opcode === 0x1c) for (let types = this.unsigned(); types > 0; types--) this.byte()
    else if (opcode >= 0x20 && opcode <= 0x26) this.#skipNumber()
    else if (opcode >= 0x28 && opcode <= 0x3e) this.#skipNumbers(2)
    else if (opcode === 0x3f || opcode === 0x40) this.byte()
    else if (opcode === I32_CONST || opcode === 0x42) this.#skipNumber()
    else if (opcode === 0x43) this.at += 4
    else if (opcode === 0x44) this.at += 8
    else if (opcode === PREFIX_BULK) this.#skipBulk()
    else if (opcode > 0xc4 || (opcode >= 0x06 && opcode <= 0x0a)) {
      throw new TypeError(`the WebAssembly instruction 0x${opcode.toString(16)} is not known`)
    }
  }

  #skipNumbers(count: number): void {
    for (let i = 0; i < count; i++) this.#skipNumber()
  }

  /** Conversions that saturate, and operations on ranges of memory and tables. */
  #skipBulk(): void {
    const operation = this.unsigned()
    if (operation < 8) return
    if (operation > 17) throw new TypeError(`the WebAssembly instruction 0xfc ${operation} is not known`)
    const isSingle = operation === 9 || operation === 11 || operation === 13 || operation >= 15
    this.#skipNumbers(isSingle ? 1 : 2)
  }
}

class Writer {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  copy(source: ArrayLike<number>): void {
    const end = this.#length + source.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes.set(source, this.#length)
    this.#length = end
  }

  unsigned(value: number): void {
    const bytes: number[] = []
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
    bytes.push(rest)
    this.copy(bytes)
  }

  /** @param value not negative */
  signed(value: number): void {
    const bytes: number[] = []
    let rest = value
    for (; rest >= 64; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
    bytes.push(rest)
    this.copy(bytes)
  }

  section(id: number, write: (to: Writer) => void): void {
    const content = new Writer(1024)
    write(content)
    this.copy([id])
    this.unsigned(content.#length)
    this.copy(content.bytes())
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }
}
