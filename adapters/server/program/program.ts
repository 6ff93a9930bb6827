/**
 * The command line program on Node, Deno and Bun.
 * @module
 */

import process from 'node:process'
import { silentActivity } from '../../../src/activityLog/output.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import type { ImportEnd } from '../../../src/chain/importReport.ts'
import { type CommandCall, type CommandLine, parseCommandLine } from '../../../src/cli/parse.ts'
import { requestedFormat } from '../../../src/cli/requestedFormat.ts'
import { VERSION } from '../../../src/node/version.ts'
import { activityOutput } from '../../shared/activityOutput.ts'
import { openArtifacts } from '../data/artifactFolders.ts'
import { chooseGenesis } from '../data/chooseGenesis.ts'
import { loadSigner } from '../data/signer.ts'
import type { StateFiles } from '../data/stateFiles.ts'
import { dataPath, exitOnUncaught, openServerNode, type ServerNode, type ServerNodeDeps } from '../serverNode.ts'
import { type Services, startServices } from '../services.ts'
import { explorerUrl, printBanner, printReplicaBanner } from './banner.ts'
import type { CommandRun } from './commands/commandRun.ts'
import { exportHex, hashPassword, readText, validateConfig } from './commands/small.ts'
import { writeDevConfig } from './devConfigFile.ts'
import { logSetting, reloadLogLevel } from './logLevel.ts'
import { ignoreClosedOutput, logRuntimeWarnings, Output } from './output.ts'
import { writePidFile } from './pidFile.ts'
import { handleSignals, type StopSignals } from './signals.ts'

type NodeRun = Extract<CommandLine, { kind: 'node' }>

/** A node or a command while it runs. */
interface Run<Line extends NodeRun | CommandCall = NodeRun | CommandCall> {
  readonly line: Line
  readonly output: Output
  readonly stop: StopSignals
  readonly runtimeName: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * @param runtimeName such as `node-v20.20.2`, shown in web3_clientVersion
 * @returns the exit code: 0; 1 after one line that describes the failure; 128 plus the signal for an interrupted command
 */
export async function runProgram(
  argv: readonly string[],
  environment: Environment,
  runtimeName: string,
): Promise<number> {
  const stop = handleSignals()
  ignoreClosedOutput()
  const { columns } = process.stdout
  const read = (): CommandLine => parseCommandLine({ argv, environment, readText, columns })
  const line = read()
  switch (line.kind) {
    case 'error':
      refuseUsage(line.message, new Output({ format: requestedFormat({ argv, environment, readText }), environment }))
      return 1
    case 'print':
      new Output({ environment }).printValue(line.text)
      return 0
    case 'version':
      new Output({ environment }).printValue(`isonode/v${VERSION}/${runtimeName}`)
      return 0
    default: {
      const output = outputOf(line, environment)
      stop.onReload(() => reloadLogLevel(output, read))
      return execute({ line, output, stop, runtimeName })
    }
  }
}

function outputOf({ options }: NodeRun | CommandCall, environment: Environment): Output {
  return new Output({
    level: logSetting(options),
    format: options['logging-format'],
    color: options['color-enabled'],
    hasLinks: options['log-links'] === 'auto',
    environment,
  })
}

/** Without time and level in the text form: the reader has just typed the command. */
function refuseUsage(message: string, output: Output): void {
  const [reason = '', ...hint] = message.split('\n')
  output.fail(reason, { hint: hint.join(' ') }, () => message)
}

async function execute(run: Run): Promise<number> {
  const { line, output } = run
  for (const warning of line.warnings) output.logger.warn(warning)
  logRuntimeWarnings(output)
  exitOnUncaught((error) => report(error, output))
  try {
    return line.kind === 'node' ? await runNode({ ...run, line }) : await runCommand({ ...run, line })
  } catch (error) {
    if (isNodeError(error, 'STOPPED')) {
      output.report({ message: error.message })
      return line.kind === 'node' ? 0 : run.stop.exitCode
    }
    report(error, output)
    return 1
  } finally {
    run.stop.end()
  }
}

function report(error: unknown, output: Output): void {
  output.fail(error instanceof Error ? error.message : String(error))
  if (!isNodeError(error)) output.logger.debug('unexpected error', { error })
}

function serverNodeDeps({ line: { options }, output, stop, runtimeName }: Run): ServerNodeDeps {
  const { signal } = stop
  const { logger, levels: logLevels } = output
  return { options, logger, logLevels, runtimeName, signal, showProgress: (progress) => output.showWork(progress) }
}

async function openNode(run: Run): Promise<ServerNode> {
  const { line, output } = run
  const { silent, abi } = line.options
  const artifacts = await openArtifacts(abi)
  const activity = silent ? silentActivity(artifacts) : { output: activityOutput(output), artifacts }
  const serverNode = await openServerNode({ ...serverNodeDeps(run), activity })
  output.beforeFailure = () => serverNode.node.flushActivity()
  return serverNode
}

async function runCommand(run: Run<CommandCall>): Promise<number> {
  const { line, output } = run
  switch (line.command) {
    case 'blocks import':
    case 'blocks export':
      return runBlocks({ ...run, line })
    case 'db backup': {
      const { writeBackup } = await import('./commands/db.ts')
      await writeBackup(await directoryOf(line), line.values, commandRun(run))
      return 0
    }
    case 'db restore': {
      const { restoreBackup } = await import('./commands/db.ts')
      await restoreBackup(await directoryOf(line), line.values, commandRun(run))
      return 0
    }
    case 'db stats': {
      const { printStats } = await import('./commands/dbChecks.ts')
      await printStats(await directoryOf(line), commandRun(run))
      return 0
    }
    case 'db verify': {
      const { verifyDatabase } = await import('./commands/dbChecks.ts')
      return (await verifyDatabase(await directoryOf(line), commandRun(run))) ? 0 : 1
    }
    case 'db compact': {
      const { compact } = await import('./commands/dbSpace.ts')
      await compact(await directoryOf(line), commandRun(run))
      return 0
    }
    case 'db prune':
      return runPruning({ ...run, line })
    case 'mirror push':
    case 'mirror info':
    case 'mirror verify':
    case 'mirror compact':
    case 'mirror prune': {
      const { runMirrorCommand } = await import('./commands/mirror.ts')
      return runMirrorCommand(line, await directoryOf(line), commandRun(run))
    }
    case 'public-key export':
      exportHex((await signer(line)).publicKey, line.values.to, output)
      return 0
    case 'public-key export-address':
      exportHex((await signer(line)).address, line.values.to, output)
      return 0
    case 'password hash':
      await hashPassword(line.values.password, output)
      return 0
    case 'operator generate-blockchain-config': {
      const { writeBlockchainConfig } = await import('./commands/operator.ts')
      writeBlockchainConfig(line.values, output)
      return 0
    }
    case 'rlp encode': {
      const { encodeRlp } = await import('./commands/operator.ts')
      encodeRlp(line.values, output)
      return 0
    }
    case 'enclave': {
      const { runEnclave } = await import('./commands/enclave.ts')
      await runEnclave(line, output, () => untilStopped(run))
      return 0
    }
    case 'enclave keys': {
      const { writeEnclaveKeys } = await import('./commands/enclave.ts')
      await writeEnclaveKeys(line, output)
      return 0
    }
    case 'proxy': {
      const { runProxy } = await import('./commands/proxy.ts')
      await runProxy(line, output, () => untilStopped(run))
      return 0
    }
    case 'replay':
      return runReplay({ ...run, line })
    case 'validate-config':
      validateConfig(line.options['config-file'], output)
      return 0
  }
}

async function directoryOf({ options }: CommandCall): Promise<string> {
  return dataPath(options, await chooseGenesis(options))
}

async function signer(line: CommandCall): Promise<Signer> {
  return loadSigner(await directoryOf(line), line.options['node-private-key-file'])
}

function commandRun({ output, stop }: Run): CommandRun {
  return { output, signal: stop.signal }
}

type ReplayCall = Extract<CommandCall, { command: 'replay' }>

async function runReplay(run: Run<ReplayCall>): Promise<number> {
  const { line } = run
  const { replayFile } = await import('./commands/replay.ts')
  const isSame = await replayFile(line, commandRun(run), async (options) => {
    const serverNode = await openNode({ ...run, line: { ...line, options } })
    const provider = serverNode.node.openProvider()
    return {
      request: (method, params) => provider.request({ method, params }),
      async close() {
        provider.close()
        await serverNode.close()
      },
    }
  })
  return isSame ? 0 : 1
}

type PruneCall = Extract<CommandCall, { command: 'db prune' }>

async function runPruning(run: Run<PruneCall>): Promise<number> {
  const { line, stop } = run
  const { prune, requireDatabase } = await import('./commands/dbSpace.ts')
  requireDatabase(await directoryOf(line))
  // The node itself deletes nothing: the command does, at once.
  const options = { ...line.options, 'pruning-enabled': false }
  const serverNode = await openNode({ ...run, line: { ...line, options } })
  try {
    return (await prune(serverNode, options['pruning-blocks-retained'], commandRun(run))) ? 0 : stop.exitCode
  } finally {
    await serverNode.close()
  }
}

type BlocksCall = Extract<CommandCall, { command: 'blocks import' | 'blocks export' }>

async function runBlocks(run: Run<BlocksCall>): Promise<number> {
  const { line, stop } = run
  const { exportFile, importFiles } = await import('./commands/blocks.ts')
  const serverNode = await openNode(run)
  try {
    if (line.command === 'blocks export') {
      const isComplete = await exportFile(serverNode, line.values, commandRun(run))
      return isComplete ? 0 : stop.exitCode
    }
    const files = [...line.values.from, ...line.operands]
    const work = (): Promise<ImportEnd['kind']> => importFiles(serverNode, files, line.values, commandRun(run))
    const end = await (line.options['pruning-enabled'] === true ? importPruned(run, serverNode, work) : work())
    if (end === 'failed') return 1
    if (end === 'aborted') return stop.exitCode
    if (!line.values.run || stop.signal.aborted) return 0
    await serveUntilStopped(run, serverNode)
  } finally {
    await serverNode.close()
  }
  reportStop(run, serverNode)
  return 0
}

async function importPruned(
  { line, stop }: Run<BlocksCall>,
  node: ServerNode,
  work: () => Promise<ImportEnd['kind']>,
): Promise<ImportEnd['kind']> {
  const { pruneDuring } = await import('./commands/dbSpace.ts')
  return pruneDuring(node, line.options['pruning-blocks-retained'], stop.signal, work)
}

async function runNode(run: Run<NodeRun>): Promise<number> {
  if (run.line.options['mirror-from'] !== undefined) return runReplica(run)
  const serverNode = await openNode(run)
  let dumpFile: string | undefined
  try {
    const files = await stateFiles(run, serverNode)
    await serveUntilStopped(run, serverNode)
    await files?.close()
    dumpFile = files?.dumpFile
  } finally {
    await serverNode.close()
  }
  reportStop(run, serverNode, dumpFile)
  return 0
}

/** The code of replicas is loaded for replicas only. */
async function runReplica(run: Run<NodeRun>): Promise<number> {
  const { line, output } = run
  const { openServerReplica } = await import('../replica.ts')
  const replica = await openServerReplica(serverNodeDeps(run))
  try {
    await serve(
      run,
      () => startServices(line, replica),
      (services) => printReplicaBanner(replica, services, output),
    )
  } finally {
    await replica.close()
  }
  output.report({ message: 'stopped' })
  return 0
}

async function stateFiles({ line: { options }, output }: Run, { node }: ServerNode): Promise<StateFiles | undefined> {
  const { state, 'load-state': load, 'dump-state': dump } = options
  if (state === undefined && load === undefined && dump === undefined) return undefined
  const { openStateFiles } = await import('../data/stateFiles.ts')
  return openStateFiles(options, node.stateDumps, output)
}

/** Keeps the process alive when nothing is listening. */
const KEEP_ALIVE_MS = 2 ** 30

async function serveUntilStopped(run: Run, serverNode: ServerNode): Promise<void> {
  const { line, output, stop } = run
  if (stop.signal.aborted) return
  const start = (): Promise<Services> => startServices(line, serverNode)
  await serve(run, start, (services) => {
    const explorer = explorerUrl(serverNode, services)
    if (explorer !== undefined) output.linkTo(explorer)
    const configFile = line.options['config-out']
    if (configFile !== undefined) writeDevConfig(configFile, serverNode)
    if (!line.options.silent) printBanner(serverNode, services, output)
  })
}

/** Serves until a signal stops it. @param announce tells that the servers listen */
async function serve(run: Run, start: () => Promise<Services>, announce: (services: Services) => void): Promise<void> {
  const pidPath = run.line.options['pid-path']
  const removePidFile = pidPath === undefined ? undefined : writePidFile(pidPath)
  const services = await start()
  announce(services)
  await untilStopped(run)
  await services.close()
  removePidFile?.()
}

/** Waits for a signal, and reports it. */
async function untilStopped({ output, stop }: Pick<Run, 'output' | 'stop'>): Promise<void> {
  const timer = setInterval(() => {}, KEEP_ALIVE_MS)
  await new Promise<void>((resolve) => {
    if (stop.signal.aborted) resolve()
    else stop.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  clearInterval(timer)
  const { stopName } = stop
  output.report({
    message: 'stopping',
    fields: { signal: stopName },
    text: () => `stopping after ${stopName}; a second signal ends the process immediately`,
  })
}

/** The last line of a node, after all other output. */
function reportStop({ output }: Run, { node, directory }: ServerNode, dumpFile?: string): void {
  const { header, hash } = node.chain.head
  const place = directory ?? dumpFile
  const where = place === undefined ? 'it was in memory and is not stored' : `it is stored in ${place}`
  output.report({
    message: 'stopped',
    fields: { head: header.number, hash, directory: directory ?? null, dumpFile: dumpFile ?? null },
    text: () => `stopped; the chain ends at block ${header.number} ${bytesToHex(hash)}, ${where}`,
  })
}
