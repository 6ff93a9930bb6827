/**
 * The log of the dev chain on stdout, and the folders of `--abi`.
 * @module
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Paint, Tone } from '../../../src/activityLog/lines.ts'
import type { ActivityHost, ActivityOutput, Report } from '../../../src/activityLog/output.ts'
import type { ArtifactFile, ArtifactFolder } from '../../../src/base/ports/artifactFolder.ts'
import type { LogLevel } from '../../../src/base/ports/host.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { plainStyle, type Style } from '../../shared/style.ts'
import type { Output, OutputEvent } from './output.ts'

type EventOutput = Pick<Output, 'shows' | 'isBehind' | 'reportAll'>

/** @throws {NodeError} ABI_FOLDER_UNREADABLE */
export async function openActivity(output: EventOutput, folders: readonly string[]): Promise<ActivityHost> {
  return { output: activityOutput(output), artifacts: await Promise.all(folders.map(openFolder)) }
}

function activityOutput(output: EventOutput): ActivityOutput {
  return {
    get isOn() {
      return output.shows('info')
    },
    get isBehind() {
      return output.isBehind
    },
    write: (reports) => output.reportAll(reports.map((report) => new ReportEvent(report))),
  }
}

/** Computes only the form (text or JSON) that is written. */
class ReportEvent implements OutputEvent {
  readonly level: LogLevel
  readonly message: string
  readonly #report: Report

  constructor(report: Report) {
    this.level = report.level
    this.message = report.kind
    this.#report = report
  }

  get fields(): Readonly<Record<string, unknown>> {
    return this.#report.record()
  }

  text(style: Style): string {
    return this.#report.text(style === plainStyle ? plain : painter(style))
  }
}

const plain: Paint = (_, text) => text

let lastPainter: { readonly style: Style; readonly paint: Paint } | undefined

/** One painter serves all reports in the same style. */
function painter(style: Style): Paint {
  if (lastPainter?.style !== style) lastPainter = { style, paint: (tone, text) => paint(tone, text, style) }
  return lastPainter.paint
}

function paint(tone: Tone, text: string, style: Style): string {
  switch (tone) {
    case 'dim':
      return style.dim(text)
    case 'good':
      return style.green(text)
    case 'bad':
      return style.red(text)
    case 'name':
      return style.cyan(text)
    case 'output':
      return style.yellow(text)
  }
}

async function openFolder(name: string): Promise<ArtifactFolder> {
  const root = path.resolve(name)
  await checkFolder(root, name)
  return {
    name,
    files: (max) => filesIn(root, max),
    read: (file) => readFile(path.join(root, file), 'utf8').catch(() => undefined),
  }
}

async function checkFolder(root: string, name: string): Promise<void> {
  const reason = await stat(root).then(
    (found) => (found.isDirectory() ? undefined : 'it is not a directory'),
    () => 'there is no such directory',
  )
  if (reason === undefined) return
  throw new NodeError({ code: 'ABI_FOLDER_UNREADABLE' }, `cannot use --abi=${name}: ${reason}`)
}

/** Lists JSON files. Skips symbolic links and Hardhat's `.dbg.json` files, which only name a build. */
async function filesIn(root: string, max: number): Promise<ArtifactFile[]> {
  const files: ArtifactFile[] = []
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= max) return
      const file = path.join(folder, entry.name)
      if (entry.isDirectory()) await visit(file)
      if (!entry.isFile() || !entry.name.endsWith('.json') || entry.name.endsWith('.dbg.json')) continue
      const { size, mtimeMs } = await stat(path.join(root, file))
      files.push({ path: file.split(path.sep).join('/'), size, modifiedMs: mtimeMs })
    }
  }
  try {
    await visit('')
  } catch (cause) {
    throw new NodeError({ code: 'ABI_FOLDER_UNREADABLE' }, `cannot read ${root}`, { cause })
  }
  return files
}
