/**
 * Building blocks for WebAssembly modules that are generated at run time.
 * @see WebAssembly Core Specification, section 5 (binary format)
 * @module
 */

export const I32 = 0x7f
export const I64 = 0x7e
const ALIGNED_4 = 2
const ALIGNED_8 = 3

/** Blocks and loops have no result; constants and offsets are non-negative. */
export const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  branch: (depth: number): number[] => [0x0c, depth],
  branchIf: (depth: number): number[] => [0x0d, depth],
  call: (index: number): number[] => [0x10, index],
  select: [0x1b],
  get: (local: number): number[] => [0x20, local],
  set: (local: number): number[] => [0x21, local],
  tee: (local: number): number[] => [0x22, local],
  load32: (offset: number): number[] => [0x28, ALIGNED_4, ...unsigned(offset)],
  load: (offset: number): number[] => [0x29, ALIGNED_8, ...unsigned(offset)],
  loadByte: (offset: number): number[] => [0x2d, 0, ...unsigned(offset)],
  load32As64: (offset: number): number[] => [0x35, ALIGNED_4, ...unsigned(offset)],
  store32: (offset: number): number[] => [0x36, ALIGNED_4, ...unsigned(offset)],
  store: (offset: number): number[] => [0x37, ALIGNED_8, ...unsigned(offset)],
  store64As32: (offset: number): number[] => [0x3e, ALIGNED_4, ...unsigned(offset)],
  i32: (value: number): number[] => [0x41, ...signed(value)],
  i64: (value: number): number[] => [0x42, ...signed(value)],
  isZero: [0x45],
  equal: [0x46],
  add32: [0x6a],
  subtract32: [0x6b],
  and32: [0x71],
  or32: [0x72],
  xor32: [0x73],
  shiftRight32: [0x75],
  isZero64: [0x50],
  add: [0x7c],
  subtract: [0x7d],
  multiply: [0x7e],
  and: [0x83],
  xor: [0x85],
  shiftRight: [0x87],
  shiftRightUnsigned: [0x88],
  rotateRight: [0x8a],
} as const

export interface WasmFunction {
  readonly name: string
  readonly parameters: number
  readonly returns: boolean
  /** Local variables after the parameters, as runs of one type. */
  readonly locals: readonly (readonly [count: number, type: number])[]
  readonly code: readonly number[]
}

export interface WasmImport {
  readonly name: string
  readonly parameters: number
}

/** A module without imports. Its functions have 32-bit parameters and results; its memory is named `memory`. */
export function wasmModule(
  functions: readonly WasmFunction[],
  data: readonly number[] = [],
  dataAt = 0,
): Uint8Array<ArrayBuffer> {
  return bytesOf([
    section(1, vector(functions.length, functions.flatMap(typeOf))),
    section(3, declarations(functions)),
    section(5, vector(1, [0, 1])),
    section(7, vector(functions.length + 1, [...text('memory'), 2, 0, ...exportsOf(functions, 0)])),
    section(10, bodies(functions)),
    section(11, vector(1, [0, ...op.i32(dataAt), ...op.end, ...vector(data.length, data)])),
  ])
}

/** A module that uses the memory and functions of another, which have no results. The imports are the first functions. */
export function linkedModule(
  functions: readonly WasmFunction[],
  imports: readonly WasmImport[],
): Uint8Array<ArrayBuffer> {
  const linked = imports.map((imported) => ({ ...imported, returns: false }))
  const types = [...functions, ...linked].flatMap(typeOf)
  const functionImports = linked.flatMap(({ name }, i) => [
    ...[...text(''), ...text(name), 0, ...unsigned(functions.length + i)],
  ])
  return bytesOf([
    section(1, vector(functions.length + linked.length, types)),
    section(2, vector(linked.length + 1, [...text(''), ...text('memory'), 2, 0, 1, ...functionImports])),
    section(3, declarations(functions)),
    section(7, vector(functions.length, exportsOf(functions, linked.length))),
    section(10, bodies(functions)),
  ])
}

function bytesOf(sections: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, ...sections.flat()])
}

function typeOf({ parameters, returns }: Omit<WasmFunction, 'locals' | 'code'>): number[] {
  return [
    0x60,
    ...vector(parameters, new Array<number>(parameters).fill(I32)),
    ...vector(returns ? 1 : 0, returns ? [I32] : []),
  ]
}

/** The type of each function has the function's number. */
function declarations(functions: readonly WasmFunction[]): number[] {
  return vector(
    functions.length,
    functions.map((_, i) => i),
  )
}

function exportsOf(functions: readonly WasmFunction[], first: number): number[] {
  return functions.flatMap(({ name }, i) => [...text(name), 0, first + i])
}

function bodies(functions: readonly WasmFunction[]): number[] {
  const code = functions.map(({ locals, code }) => {
    const declared = locals.flatMap(([count, type]) => [...unsigned(count), type])
    const body = [...vector(locals.length, declared), ...code, ...op.end]
    return [...unsigned(body.length), ...body]
  })
  return vector(functions.length, code.flat())
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function vector(count: number, items: readonly number[]): number[] {
  return [...unsigned(count), ...items]
}

function text(name: string): number[] {
  return vector(
    name.length,
    [...name].map((character) => character.charCodeAt(0)),
  )
}

/** LEB128 */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)]
}

/** LEB128 of a non-negative number; the highest bit is the sign. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)]
}
