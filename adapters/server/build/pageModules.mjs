/**
 * Adapts the sources to a page: a module with a neighbour `<name>.page.ts` is replaced by it, texts for the command line
 * and the reference are left out, and code that the first request does not need is loaded later (pageSources.mjs).
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  emptySchemas,
  hashFunctions,
  ON_DEMAND,
  onDemand,
  PARAMETER_TEXTS,
  SOURCES,
  textNames,
} from './pageSources.mjs'

/** Tables with texts that no page shows, and the members that hold them. */
export const TEXTS = /\/src\/(?:config\/(?:options\/\w+|predeploys)|storage\/schema)\.ts$/
export const TEXT =
  /\b(help|doc|group|unit|form|summary|source|licence):\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g

/** A page publishes no mirror. */
const PUBLISHED = /\bisPublished: true,/g

const MODULE = /^\..*\.ts$/
const HASHES = /^@noble\/hashes\/sha[23]\.js$/
const HASH_IMPORTERS = /\/primitives\/(?:keccak|sha256)\.ts$/

/** Replaces a module by its neighbour with another ending. */
function replaceByNeighbours(onResolve, ending) {
  onResolve({ filter: MODULE }, ({ path: name, resolveDir, importer }) => {
    const file = path.join(resolveDir, name.replace(/\.ts$/, ending))
    return file !== importer && existsSync(file) ? { path: file } : undefined
  })
}

/**
 * Adapts the sources to the provider of proven answers, before {@link pageModules}: `<name>.verified.ts` leaves out what only a
 * node needs, and no method describes its answers.
 * @type {import('esbuild').Plugin}
 */
export const verifiedModules = {
  name: 'verified modules',
  setup({ onResolve, onLoad }) {
    replaceByNeighbours(onResolve, '.verified.ts')
    onLoad({ filter: /\/src\/rpc\/codecs\/schemas\.ts$/ }, async ({ path: file }) => ({
      contents: await emptySchemas(file),
      loader: 'js',
    }))
  },
}

/** @type {import('esbuild').Plugin} */
export const pageModules = {
  name: 'page modules',
  setup({ onResolve, onLoad }) {
    replaceByNeighbours(onResolve, '.page.ts')
    onResolve({ filter: MODULE }, ({ path: name, resolveDir, importer, namespace }) => {
      const file = path.join(resolveDir, name)
      if (file === PARAMETER_TEXTS) {
        return importer.endsWith('openRpc.page.ts') ? undefined : { path: file, namespace: 'names' }
      }
      const isNeeded = namespace === 'file' && ON_DEMAND.includes(file) && !ON_DEMAND.includes(importer)
      return isNeeded ? { path: file, namespace: 'on demand' } : undefined
    })
    onResolve({ filter: HASHES }, ({ importer }) =>
      HASH_IMPORTERS.test(importer) ? { path: 'hashes', namespace: 'hashes' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'names' }, async ({ path: file }) => ({ contents: await textNames(file) }))
    onLoad({ filter: /.*/, namespace: 'on demand' }, async ({ path: file }) => ({
      contents: await onDemand(file),
      resolveDir: path.dirname(file),
    }))
    onLoad({ filter: /.*/, namespace: 'hashes' }, async () => ({ contents: await hashFunctions() }))
    for (const { filter, contents } of SOURCES) {
      onLoad({ filter }, async ({ path: file }) => ({ contents: await contents(file), loader: 'js' }))
    }
    onLoad({ filter: TEXTS }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replaceAll(TEXT, "$1: ''").replaceAll(PUBLISHED, ''),
      loader: 'ts',
    }))
  },
}
