/**
 * Errors of the node in the words of this page, where those of the library speak of its options.
 * @module
 */

const TEXTS: Readonly<Record<string, string>> = {
  DATABASE_LOCKED: 'This chain is open in another tab. Close that tab first.',
  DISK_FULL: 'The space that the browser gives this site is used up. Delete a saved chain, or free space on the disk.',
  FORMAT_TOO_NEW: 'A newer version of this page saved this chain. Close all tabs of this page, and open it again.',
  GENESIS_MISMATCH: 'The saved chain has another chain id. Open it without one, or begin a chain with another name.',
  LOCKS_UNAVAILABLE:
    'Chains are saved only by a page that is served over https or from localhost. A chain that lasts until the tab is closed works here.',
  SHARED_VERSION: 'Another version of this page has this chain open in another tab. Close that tab first.',
  WASM_UNAVAILABLE:
    "This browser is too old for the node, or the server’s content security policy lacks 'wasm-unsafe-eval'.",
}

/** Says more than the error of a request: browsers tell pages no reason. */
const NOT_REACHED = 'The node may be off, or it does not allow pages of this origin.'

/** A sentence for people. */
export function problemOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  const known = typeof code === 'string' && Object.hasOwn(TEXTS, code) ? TEXTS[code] : undefined
  const text = known ?? (typeof message === 'string' ? message : String(error))
  return code === 'FORK_UNAVAILABLE' ? `${text}. ${NOT_REACHED}` : text
}
