/** The bundle of a worker thread, as the build makes it, for tests that run from the sources. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll } from 'vitest'

const root = path.resolve(import.meta.dirname, '../../..')

export interface BundledWorker {
  readonly url: URL
  /** Writes a module next to the bundle, which replaces the worker in a test. */
  moduleOf(name: string, code: string): URL
}

/**
 * Builds the bundle before the tests of a file and removes it after them. Call it once, at the top of the file.
 * @param entry such as `adapters/server/threads/blobWorker.ts`
 */
export function bundledWorker(entry: string): BundledWorker {
  let folder = ''
  const fileUrl = (name: string): URL => pathToFileURL(path.join(folder, name))
  beforeAll(async () => {
    // In node_modules, since the bundle imports packages.
    folder = mkdtempSync(path.join(root, 'node_modules', '.worker-'))
    const outfile = path.join(folder, 'worker.mjs')
    const entryPoints = [path.join(root, entry)]
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return {
    get url() {
      return fileUrl('worker.mjs')
    },
    moduleOf: (name, code) => {
      const url = fileUrl(name)
      writeFileSync(url, code)
      return url
    },
  }
}
