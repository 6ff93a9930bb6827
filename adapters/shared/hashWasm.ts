import type { CreateKeccak } from './fastCrypto.ts'

/** Loads only Keccak: the package's main entry contains every algorithm and takes 30 ms longer. */
export async function loadCreateKeccak(): Promise<CreateKeccak> {
  // biome-ignore lint/suspicious/noTsIgnore: some compilers accept the import
  // @ts-ignore the package declares no types for this file
  const keccak: unknown = await import('hash-wasm/dist/keccak.umd.min.js')
  return (keccak as { readonly default: { readonly createKeccak: CreateKeccak } }).default.createKeccak
}
