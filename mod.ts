/**
 * isonode: one Ethereum node for every runtime. Run as a program (`deno run -A mod.ts`, `bun run mod.ts`) it is the
 * node's command line; imported on Node, Deno or Bun it is the library.
 * @module
 */
export * from './adapters/browser/portable.ts'
export { type ListeningNode, type StartedNode, startNode, type UnservedNode } from './adapters/server/startNode.ts'
export type { NetworkName, StartOptions } from './adapters/server/startOptions.ts'
export type { NodeFlags } from './src/cli/nodeFlags.ts'

/** Not awaited here: `require` accepts no module that awaits at its top level. */
async function runAsProgram(): Promise<void> {
  const isDeno = 'Deno' in globalThis
  const program = isDeno ? './adapters/deno/main.ts' : './adapters/bun/main.ts'
  const { main } = (await import(program)) as { main(): Promise<number> }
  const code = await main()
  const host = globalThis as { Deno?: { exit(code: number): void }; process?: { exit(code: number): void } }
  if (isDeno) host.Deno?.exit(code)
  else host.process?.exit(code)
}

// Only on Deno and Bun, and in new versions of Node, whose program is dist/server.js.
const { main: isProgram = false } = import.meta as { readonly main?: boolean }
if (isProgram && ('Deno' in globalThis || 'Bun' in globalThis)) void runAsProgram()
