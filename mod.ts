/**
 * isonode: one Ethereum node for every runtime. Run as a program (`deno run -A mod.ts`, `bun run mod.ts`) it is the
 * node's command line; imported it is the portable part of the library.
 * @module
 */
export type { ChainConfig } from './src/config/chainConfig.ts'
export { devGenesis } from './src/config/devGenesis.ts'
export { type Genesis, parseGenesis, parseGenesisFile } from './src/config/genesisFile.ts'
export { createNode, type IsoNode, type NodeGenesis, type NodeHost, VERSION } from './src/node/node.ts'
export { type NodeSettings, settingsOf } from './src/node/settings.ts'
export type { KeyValueStore } from './src/ports/keyValueStore.ts'
export { NodeError } from './src/primitives/errors.ts'
export { MemoryStore } from './src/storage/memoryStore.ts'

declare global {
  interface ImportMeta {
    /** Deno and Bun: this module is the program. */
    readonly main?: boolean
  }
}

if (import.meta.main === true) {
  const isDeno = 'Deno' in globalThis
  const program = isDeno ? './adapters/deno/main.ts' : './adapters/bun/main.ts'
  const { main } = (await import(program)) as { main(): Promise<number> }
  const code = await main()
  const host = globalThis as { Deno?: { exit(code: number): void }; process?: { exit(code: number): void } }
  if (isDeno) host.Deno?.exit(code)
  else host.process?.exit(code)
}
