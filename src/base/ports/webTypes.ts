/**
 * Types of web standards for declarations of the library: those of the program that uses it, whichever library of types
 * declares them. Without one, declarations still compile.
 * @module
 */

/** The part of AbortSignal that is used, for programs without its types. */
interface SomeSignal {
  readonly aborted: boolean
  readonly reason: unknown
}

type Global = typeof globalThis

export type AbortSignal = Global extends { AbortSignal: { prototype: infer T } } ? T : SomeSignal
export type Blob = Global extends { Blob: { prototype: infer T } } ? T : never
/** A stream of any chunks. */
export type ReadableStream = Global extends { ReadableStream: { prototype: infer T } } ? T : never
export type Request = Global extends { Request: { prototype: infer T } } ? T : unknown
export type Response = Global extends { Response: { prototype: infer T } } ? T : unknown
export type URL = Global extends { URL: { prototype: infer T } } ? T : never
export type URLSearchParams = Global extends { URLSearchParams: { prototype: infer T } } ? T : unknown
/** A compiled WebAssembly module. */
export type WasmModule = Global extends { WebAssembly: { Module: { prototype: infer T } } } ? T : object
