/**
 * Artifacts that a program passes to its node, instead of the folder that contains them.
 * @module
 */
import type { ArtifactFolder } from '../../src/base/ports/artifactFolder.ts'

const JSON_FILE = /\.json$/
const utf8 = new TextEncoder()

/** @param files contents by path: texts, or the objects of JSON files */
export function artifactFiles(files: Readonly<Record<string, unknown>>): ArtifactFolder {
  const paths = Object.keys(files).filter((path) => JSON_FILE.test(path))
  const textOf = (path: string): string | undefined => {
    const content = Object.hasOwn(files, path) ? files[path] : undefined
    return content === undefined || typeof content === 'string' ? content : JSON.stringify(content)
  }
  /** The file that was read last. */
  let encoded: { readonly path: string; readonly bytes: Uint8Array } | undefined
  return {
    name: 'artifacts',
    // The length of an object is known only as text; the program already holds it in memory.
    files: async (max) => paths.slice(0, max).map((path) => ({ path, size: lengthOf(files[path]), modifiedMs: 0 })),
    read: async (path) => textOf(path),
    slice: async (path, start, end) => {
      const text = textOf(path)
      if (text === undefined) return undefined
      if (encoded?.path !== path) encoded = { path, bytes: utf8.encode(text) }
      return encoded.bytes.subarray(start, end)
    },
    source: async (path, maxBytes) => {
      const text = textOf(path)
      return text === undefined || text.length > maxBytes ? undefined : utf8.encode(text)
    },
  }
}

function lengthOf(content: unknown): number {
  return typeof content === 'string' ? content.length : 0
}
