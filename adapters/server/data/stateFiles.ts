/**
 * Files of state dumps: loaded at the start, written at the end and at an interval.
 * @module
 */

import { once } from 'node:events'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { access, constants, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from '../../../src/base/ports/host.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { type Progress, type ProgressReport, workProgress } from '../../../src/cli/progress.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { StateDumps } from '../../../src/node/stateDumps.ts'

const DEFAULT_NAME = 'state.json'
const PARTIAL = '.partial'

type StateOptions = Pick<NodeOptions, 'state' | 'load-state' | 'dump-state' | 'state-interval'>

interface StateOutput {
  readonly progress: ProgressReport
  readonly logger: Logger
}

export interface StateFiles {
  /** File of the last dump. */
  readonly dumpFile: string
  /** Ends the interval and writes the last dump. @throws {NodeError} STATE_FILE_FAILED */
  close(): Promise<void>
}

/**
 * Loads the dump that the options name and starts the interval.
 * @throws {NodeError} STATE_FILE_FAILED, with the name of the file
 */
export async function openStateFiles(
  options: StateOptions,
  dumps: StateDumps,
  output: StateOutput,
): Promise<StateFiles | undefined> {
  const { state, 'load-state': load = state, 'dump-state': dump = state, 'state-interval': seconds } = options
  if (dump !== undefined) await checkDirectory(fileOf(dump))
  if (load !== undefined) await loadFile(fileOf(load), dumps, state !== undefined, output)
  if (dump === undefined) return undefined
  let writing = Promise.resolve()
  const write = (): Promise<void> => {
    writing = writing.then(() => writeFile(fileOf(dump), dumps, output))
    return writing
  }
  const timer =
    seconds === undefined
      ? undefined
      : setInterval(() => {
          write().catch((error) => {
            output.logger.warn('could not dump the state', { error })
            writing = Promise.resolve()
          })
        }, seconds * 1000)
  return {
    dumpFile: fileOf(dump),
    async close() {
      clearInterval(timer)
      await write()
    },
  }
}

function fileOf(location: string): string {
  return existsSync(location) && statSync(location).isDirectory() ? path.join(location, DEFAULT_NAME) : location
}

/** A dump that cannot be written is an error at the start, not when the chain is lost. */
async function checkDirectory(file: string): Promise<void> {
  try {
    await access(path.dirname(file), constants.W_OK)
  } catch (error) {
    throw failed(`the state cannot be dumped to ${file}`, error)
  }
}

async function loadFile(
  file: string,
  dumps: Pick<StateDumps, 'load'>,
  isOptional: boolean,
  { progress }: StateOutput,
): Promise<void> {
  if (isOptional && !existsSync(file)) return
  try {
    const stream = createReadStream(file)
    // Before it is read, an error of the stream would be an unhandled event.
    await once(stream, 'open')
    await dumps.load(watched(stream, { file, size: statSync(file).size }, progress))
  } catch (error) {
    throw failed(`the state cannot be loaded from ${file}`, error)
  } finally {
    progress.end()
  }
}

/** Shows how much of the file has been read; the chain is built while it is read. */
async function* watched(
  stream: AsyncIterable<Uint8Array>,
  { file, size }: { readonly file: string; readonly size: number },
  progress: ProgressReport,
): AsyncGenerator<Uint8Array> {
  const startedMs = performance.now()
  let read = 0
  const show = (): void =>
    progress.show(() => {
      const fraction = Math.min(1, read / size)
      const remainingMs = read === 0 ? undefined : ((performance.now() - startedMs) * (size - read)) / read
      return workProgress({ work: 'loading the state', fields: { file }, fraction, remainingMs })
    })
  for await (const bytes of stream) {
    show()
    yield bytes
    read += bytes.length
  }
  show()
}

/** The file is replaced only when the dump is complete. */
async function writeFile(file: string, dumps: StateDumps, { progress }: StateOutput): Promise<void> {
  const partial = `${file}${PARTIAL}`
  let bytesWritten = 0
  try {
    const handle = await open(partial, 'w', 0o600)
    try {
      for await (const bytes of await dumps.dump()) {
        await handle.writeFile(bytes)
        bytesWritten += bytes.length
        progress.show(() => progressOf(file, bytesWritten))
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw failed(`the state cannot be dumped to ${file}`, error)
  } finally {
    progress.end()
  }
}

function progressOf(file: string, bytes: number): Progress {
  const text = `dumping the state to ${file}: ${(bytes / 1e6).toFixed(1)} MB`
  return { message: 'dumping the state', fields: { file, bytes }, text }
}

function failed(what: string, error: unknown): NodeError {
  const reason = error instanceof Error ? error.message : String(error)
  return new NodeError({ code: 'STATE_FILE_FAILED' }, `${what}: ${reason}`, { cause: error })
}
