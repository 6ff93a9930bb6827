/**
 * Names of the databases that this web site has used, in `localStorage`. Chromium keeps it when it removes databases; other
 * browsers may remove both. Workers have none.
 * @module
 */

/** The used part of `localStorage`. */
interface Notes {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
}

const PREFIX = 'isonode/known-database/'

/** Whether a note says that the database existed at an earlier visit. */
export function wasKnown(name: string): boolean {
  return tried((notes) => notes.getItem(PREFIX + name)) != null
}

export function remember(name: string): void {
  tried((notes) => notes.setItem(PREFIX + name, '1'))
}

/** @returns undefined without notes: in workers, where the user forbids them, and on other runtimes */
function tried<T>(work: (notes: Notes) => T): T | undefined {
  if (!('document' in globalThis)) return undefined
  try {
    return work((globalThis as unknown as { readonly localStorage: Notes }).localStorage)
  } catch {
    return undefined
  }
}
