/**
 * Puts a counter into each loop of a WebAssembly module, so that code which never returns to its host ends. An
 * interpreter asks the host only between the instructions of its scripts; one function of its library, such as a search
 * in a long string, could run for hours.
 * @see https://webassembly.github.io/spec/core/binary
 * @module
 */

const SECTION_GLOBAL = 6
const SECTION_EXPORT = 7
const SECTION_CODE = 10
const HEADER_BYTES = 8
const EXTERNAL_GLOBAL = 3
const TYPE_I32 = 0x7f
const MUTABLE = 1

const UNREACHABLE = 0x00
const LOOP = 0x03
const IF = 0x04
const END = 0x0b
const GLOBAL_GET = 0x23
const GLOBAL_SET = 0x24
const I32_CONST = 0x41
const I32_EQZ = 0x45
const I32_SUB = 0x6b
const NO_RESULT = 0x40

/** Name of the exported counter: the number of times that loops may begin again; at zero, the module traps. */
export const LOOP_COUNTER = 'loopCounter'

/** @throws {TypeError} for a module with instructions that are not known here */
export function meterLoops(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Writer(module.length + (module.length >> 2))
  out.copy(module.subarray(0, HEADER_BYTES))
  let counter = 0
  const reader = new Reader(module, HEADER_BYTES)
  while (reader.at < module.length) {
    const id = reader.byte()
    const end = reader.unsigned() + reader.at
    const section = module.subarray(reader.at, end)
    const body = new Reader(module, reader.at)
    if (id === SECTION_GLOBAL) {
      counter = body.unsigned()
      out.section(id, (to) => {
        to.unsigned(counter + 1)
        to.copy(module.subarray(body.at, end))
        to.copy([TYPE_I32, MUTABLE, I32_CONST, 0, END])
      })
    } else if (id === SECTION_EXPORT) {
      const count = body.unsigned()
      out.section(id, (to) => {
        to.unsigned(count + 1)
        to.copy(module.subarray(body.at, end))
        to.name(LOOP_COUNTER)
        to.copy([EXTERNAL_GLOBAL])
        to.unsigned(counter)
      })
    } else if (id === SECTION_CODE) out.section(id, (to) => meterCode(body, to, counter))
    else {
      out.copy([id])
      out.unsigned(section.length)
      out.copy(section)
    }
    reader.at = end
  }
  return out.bytes()
}

function meterCode(reader: Reader, to: Writer, counter: number): void {
  const count = reader.unsigned()
  to.unsigned(count)
  const check = new Writer(32)
  check.copy([GLOBAL_GET])
  check.unsigned(counter)
  check.copy([I32_CONST, 1, I32_SUB, GLOBAL_SET])
  check.unsigned(counter)
  check.copy([GLOBAL_GET])
  check.unsigned(counter)
  check.copy([I32_EQZ, IF, NO_RESULT, UNREACHABLE, END])
  const inserted = check.bytes()
  for (let i = 0; i < count; i++) {
    const end = reader.unsigned() + reader.at
    const body = new Writer(end - reader.at + 1024)
    let copied = reader.at
    for (let groups = reader.unsigned(); groups > 0; groups--) {
      reader.unsigned()
      reader.byte()
    }
    while (reader.at < end) {
      const opcode = reader.byte()
      reader.skipImmediates(opcode)
      if (opcode !== LOOP) continue
      body.copy(reader.source.subarray(copied, reader.at))
      body.copy(inserted)
      copied = reader.at
    }
    body.copy(reader.source.subarray(copied, end))
    const metered = body.bytes()
    to.unsigned(metered.length)
    to.copy(metered)
  }
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
    else if (opcode === 0xfc) this.#skipBulk()
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

  name(text: string): void {
    this.unsigned(text.length)
    this.copy([...text].map((character) => character.charCodeAt(0)))
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
