/** Tools of contract developers, which are not packages of the project: they are installed in `.cache`. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const CACHE = path.resolve(import.meta.dirname, '../../../.cache')
const OUTPUT_BYTES = 64 * 1024 * 1024
const TOOL_TIMEOUT_MS = 80_000

/** @param name path below `.cache`; @returns undefined if it is not installed */
export function installedTools(name: string): string | undefined {
  const file = path.join(CACHE, name)
  return existsSync(file) ? file : undefined
}

/** @param tool cast, anvil or forge; @returns its program; undefined if it is not installed */
export function foundryTool(tool: string): string | undefined {
  return installedTools(`foundry/node_modules/@foundry-rs/${tool}-linux-amd64/bin/${tool}`)
}

export interface ToolOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The text that it reads from its standard input. */
  readonly input?: string
}

/** @returns its output; @throws {Error} with all its output when it fails */
export function runTool(
  program: string,
  args: readonly string[],
  { cwd, env, input }: ToolOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      {
        ...(cwd === undefined ? {} : { cwd }),
        env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...env },
        maxBuffer: OUTPUT_BYTES,
        timeout: TOOL_TIMEOUT_MS,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim())
        else reject(new Error(`${path.basename(program)} ${args.join(' ')}: ${error.message}\n${stdout}\n${stderr}`))
      },
    )
    if (input !== undefined) child.stdin?.end(input)
  })
}
