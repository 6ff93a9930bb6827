import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { PackedAsset, PackedAssets } from '../../../src/base/ports/webAssets.ts'

/** Beside the bundled program, or where `npm run build:page` writes the page for a clone that runs from its sources. */
const FOLDER = import.meta.url.endsWith('.ts') ? '../../../dist/page/' : './page/'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** Reads the files of the explorer at its first request; while they are not built, each request looks again. */
export function explorerFiles(): PackedAssets {
  let files: Promise<ReadonlyMap<string, PackedAsset> | undefined> | undefined
  return async (name) => {
    files ??= readFiles()
    const found = await files
    if (found === undefined) files = undefined
    return found?.get(name)
  }
}

async function readFiles(): Promise<ReadonlyMap<string, PackedAsset> | undefined> {
  try {
    const folder = fileURLToPath(new URL(FOLDER, import.meta.url))
    const found = await readdir(folder, { recursive: true })
    const names = found.filter((name) => name.endsWith('.gz')).map((name) => name.slice(0, -'.gz'.length))
    const files = new Map(await Promise.all(names.map((name) => readPacked(folder, name))))
    return files.has('index.html') ? files : undefined
  } catch {
    return undefined
  }
}

/** @returns the file below its name in URLs */
async function readPacked(folder: string, name: string): Promise<[string, PackedAsset]> {
  const gzip = new Uint8Array(await readFile(path.join(folder, `${name}.gz`)))
  const file: PackedAsset = {
    contentType: CONTENT_TYPES[path.extname(name)] ?? 'application/octet-stream',
    gzip,
    decompress: () => new Uint8Array(gunzipSync(gzip)),
  }
  return [name.replaceAll(path.sep, '/'), file]
}
