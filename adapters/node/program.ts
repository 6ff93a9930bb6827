/**
 * The command line program on Node, Deno and Bun.
 * @module
 */

import { type CommandCall, type CommandLine, parseCommandLine } from '../../src/cli/parse.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { VERSION } from '../../src/node/node.ts'
import type { Logger } from '../../src/ports/host.ts'
import type { Signer } from '../../src/ports/signer.ts'
import { isNodeError } from '../../src/primitives/errors.ts'
import { type LogSetting, startLogging } from '../shared/logging.ts'
import { banner, printBlocks } from './banner.ts'
import { chooseGenesis } from './chooseGenesis.ts'
import { exportHex, hashPassword, readText, validateConfig } from './commands/small.ts'
import { startServices } from './services.ts'
import { dataPath, exitOnUncaught, openSession, type Session, type SessionInput } from './session.ts'
import { loadSigner } from './signer.ts'
import { print, printError, progressLine, stopSignal } from './terminal.ts'

type NodeRun = Extract<CommandLine, { kind: 'node' }>

/**
 * @param runtimeName such as `node-v20.20.2`, shown in web3_clientVersion
 * @returns the exit code: 0, or 1 after one line that describes the failure
 */
export async function runProgram(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  runtimeName: string,
): Promise<number> {
  const line = parseCommandLine({ argv, environment, readText })
  switch (line.kind) {
    case 'error':
      printError(line.message)
      return 1
    case 'print':
      print(line.text)
      return 0
    case 'version':
      print(`isonode/v${VERSION}/${runtimeName}`)
      return 0
    default:
      return execute(line, runtimeName)
  }
}

async function execute(line: NodeRun | CommandCall, runtimeName: string): Promise<number> {
  const logger = startLogging(logSetting(line.options), printError)
  for (const warning of line.warnings) logger.warn(warning)
  exitOnUncaught((error) => report(error, logger))
  try {
    await (line.kind === 'node' ? runNode(line, runtimeName, logger) : runCommand(line, runtimeName, logger))
    return 0
  } catch (error) {
    report(error, logger)
    return 1
  }
}

/** `--silent` leaves only the line that ends the program, which is not part of the log. */
function logSetting({ silent, quiet, logging }: NodeOptions): LogSetting {
  if (silent) return 'OFF'
  return quiet && LEVELS_WITH_BLOCKS.has(logging) ? 'WARN' : logging
}

function report(error: unknown, logger: Logger): void {
  progressLine.clear()
  printError(error instanceof Error ? error.message : String(error))
  if (!isNodeError(error)) logger.debug('unexpected error', { error })
}

function sessionInput({ options }: NodeRun | CommandCall, runtimeName: string, logger: Logger): SessionInput {
  return { options, logger, runtimeName }
}

async function runCommand(line: CommandCall, runtimeName: string, logger: Logger): Promise<void> {
  switch (line.command) {
    case 'blocks import':
    case 'blocks export':
      return runBlocks(line, runtimeName, logger)
    case 'public-key export':
      return exportHex((await signer(line)).publicKey, line.values.to)
    case 'public-key export-address':
      return exportHex((await signer(line)).address, line.values.to)
    case 'password hash':
      return hashPassword(line.values.password)
    case 'validate-config':
      return validateConfig(line.options['config-file'])
  }
}

async function signer({ options }: CommandCall): Promise<Signer> {
  return loadSigner(dataPath(options, await chooseGenesis(options)), options['node-private-key-file'])
}

type BlocksCall = Extract<CommandCall, { command: 'blocks import' | 'blocks export' }>

async function runBlocks(line: BlocksCall, runtimeName: string, logger: Logger): Promise<void> {
  const { exportFile, importFiles } = await import('./commands/blocks.ts')
  const signal = stopSignal()
  const session = await openSession(sessionInput(line, runtimeName, logger))
  try {
    if (line.command === 'blocks export') await exportFile(session, line.values, signal)
    else {
      await importFiles(session, [...line.values.from, ...line.operands], line.values, signal)
      if (line.values.run && !signal.aborted) await serveUntilStopped(line, session, signal)
    }
  } finally {
    await session.close()
  }
}

async function runNode(line: NodeRun, runtimeName: string, logger: Logger): Promise<void> {
  const signal = stopSignal()
  const session = await openSession(sessionInput(line, runtimeName, logger))
  try {
    await serveUntilStopped(line, session, signal)
  } finally {
    await session.close()
  }
}

/** Keeps the process alive when nothing is listening. */
const KEEP_ALIVE_MS = 2 ** 30

async function serveUntilStopped(line: NodeRun | CommandCall, session: Session, signal: AbortSignal): Promise<void> {
  const services = await startServices(line, session)
  if (!line.options.silent) print(banner(session, services))
  const stopPrinting = showsBlocks(line, session) ? printBlocks(session.node.chain, print) : undefined
  const timer = setInterval(() => {}, KEEP_ALIVE_MS)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  clearInterval(timer)
  await services.close()
  stopPrinting?.()
}

const LEVELS_WITH_BLOCKS: ReadonlySet<LogSetting> = new Set(['INFO', 'DEBUG', 'TRACE', 'ALL'])

/** Whether blocks are printed: on the dev chain, unless the log level is limited to problems. */
function showsBlocks({ options }: NodeRun | CommandCall, { chosen }: Session): boolean {
  return chosen.isDev && LEVELS_WITH_BLOCKS.has(logSetting(options))
}
