/**
 * The folders of `--abi`.
 * @module
 */
import { open, readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ArtifactFile, ArtifactFolder } from '../../../src/base/ports/artifactFolder.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'

/** @throws {NodeError} ABI_FOLDER_UNREADABLE */
export function openArtifacts(folders: readonly string[]): Promise<ArtifactFolder[]> {
  return Promise.all(folders.map(openFolder))
}

async function openFolder(name: string): Promise<ArtifactFolder> {
  const root = path.resolve(name)
  await checkFolder(root, name)
  return {
    name,
    files: (max) => filesIn(root, max),
    read: (file) => readFile(path.join(root, file), 'utf8').catch(() => undefined),
    slice: (file, start, end) => readSlice(path.join(root, file), start, end).catch(() => undefined),
    source: (file, maxBytes) => readSource(root, file, maxBytes),
  }
}

async function readSlice(file: string, start: number, end: number): Promise<Uint8Array> {
  const handle = await open(file, 'r')
  try {
    const bytes = new Uint8Array(end - start)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
    return bytes.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Looks in the folder and above it: the output of a compiler is a folder of its project. */
async function readSource(root: string, file: string, maxBytes: number): Promise<Uint8Array | undefined> {
  if (path.isAbsolute(file) || file.split(/[/\\]/).includes('..')) return undefined
  for (const base of [root, path.resolve(root, '..'), path.resolve(root, '../..')]) {
    const found = path.join(base, file)
    const stats = await stat(found).catch(() => undefined)
    if (stats?.isFile() === true) return stats.size > maxBytes ? undefined : readFile(found).catch(() => undefined)
  }
  return undefined
}

async function checkFolder(root: string, name: string): Promise<void> {
  const reason = await stat(root).then(
    (stats) => (stats.isDirectory() ? undefined : 'it is not a directory'),
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
