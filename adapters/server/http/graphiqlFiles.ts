import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { WebAsset } from '../../../src/base/ports/webAssets.ts'

/** Name of a file on the page, its package, and its place there. */
const FILES = [
  ['react.js', 'react', 'umd/react.production.min.js'],
  ['react-dom.js', 'react-dom', 'umd/react-dom.production.min.js'],
  ['graphiql.js', 'graphiql', 'graphiql.min.js'],
  ['graphiql.css', 'graphiql', 'graphiql.min.css'],
] as const

/** Reads the files of GraphiQL from the installed packages; undefined when one of them is missing. */
export async function graphiqlFiles(): Promise<ReadonlyMap<string, WebAsset> | undefined> {
  try {
    const { resolve } = createRequire(import.meta.url)
    const files = FILES.map(async ([name, packageName, file]): Promise<[string, WebAsset]> => {
      const folder = path.dirname(resolve(`${packageName}/package.json`))
      const contentType = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
      return [name, { contentType, bytes: new Uint8Array(await readFile(path.join(folder, file))) }]
    })
    return new Map(await Promise.all(files))
  } catch {
    return undefined
  }
}
