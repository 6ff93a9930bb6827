/** Projects of Hardhat 2 and 3 in temporary folders, and Hardhat's commands as a user types them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryDirectory } from '../nodes/program.ts'
import { atEndOfFile } from '../rpc/endOfFile.ts'
import { installedTools, runTool, type ToolOptions } from './tools.ts'

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures')

export type HardhatVersion = 2 | 3

interface Installation {
  readonly packages: string | undefined
  readonly cli: string
  /** Hardhat 3 needs a newer Node than this project. */
  readonly node: string | undefined
  readonly manifest: object
}

const INSTALLATIONS: Readonly<Record<HardhatVersion, Installation>> = {
  2: {
    packages: installedTools('hardhat/node_modules'),
    cli: 'hardhat/internal/cli/cli.js',
    node: process.execPath,
    manifest: {},
  },
  3: {
    packages: installedTools('hardhat3/node_modules'),
    cli: 'hardhat/dist/src/cli.js',
    node: installedTools('node22/node_modules/node/bin/node'),
    manifest: { type: 'module' },
  },
}

/** @returns its packages; undefined if it or its Node is not installed */
export function hardhatPackages(version: HardhatVersion): string | undefined {
  const { packages, node } = INSTALLATIONS[version]
  return node === undefined ? undefined : packages
}

/** @returns program and arguments of a command of the Hardhat in these packages */
export function hardhatCommand(version: HardhatVersion, packages: string): readonly [program: string, cli: string] {
  const { cli, node = process.execPath } = INSTALLATIONS[version]
  return [node, path.join(packages, cli)]
}

export interface HardhatProject {
  readonly folder: string
  /** @param url of the node that is the project's network @returns what it prints @throws {Error} with its output when it fails */
  hardhat(url: string, args: readonly string[], options?: ToolOptions): Promise<string>
  /** Starts a command that the test will kill. */
  start(url: string, args: readonly string[]): ChildProcess
}

/** @param sources folders that are copied into the project */
export function hardhatProject(version: HardhatVersion, sources: readonly string[]): HardhatProject {
  const packages = hardhatPackages(version)
  if (packages === undefined) throw new Error(`Hardhat ${version} is not installed`)
  const folder = temporaryDirectory()
  for (const source of sources) cpSync(source, folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(INSTALLATIONS[version].manifest))
  symlinkSync(packages, path.join(folder, 'node_modules'))
  const [program, cli] = hardhatCommand(version, path.join(folder, 'node_modules'))
  // Hardhat asks no questions in CI.
  const env = (url: string) => ({ RPC_URL: url, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', CI: 'true' })
  return {
    folder,
    hardhat: (url, args, options) => runTool(program, [cli, ...args], { cwd: folder, env: env(url), ...options }),
    start: (url, args) =>
      killedAtEnd(
        spawn(program, [cli, ...args], { cwd: folder, env: { ...process.env, ...env(url) }, stdio: 'ignore' }),
      ),
  }
}

/** The project of `test/fixtures` for this version, with its contracts. */
export function fixtureProject(version: HardhatVersion): HardhatProject {
  const project = hardhatProject(version, [path.join(FIXTURES, version === 2 ? 'hardhat' : 'hardhat3')])
  cpSync(path.join(FIXTURES, 'contracts'), path.join(project.folder, 'contracts'), { recursive: true })
  return project
}

function killedAtEnd(child: ChildProcess): ChildProcess {
  atEndOfFile(() => {
    child.kill('SIGKILL')
  })
  return child
}
