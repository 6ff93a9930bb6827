/**
 * The scripts that run in pages of one site, as long as the browser runs.
 * @module
 */

/** @throws {Error} without the permission for the site */
export async function startHook(origin: string, isForked: boolean): Promise<void> {
  const pattern = patternOf(origin)
  if (!(await chrome.permissions.contains({ origins: [pattern] }))) {
    throw new Error(`the extension may not read ${origin} yet`)
  }
  const common = { matches: [pattern], runAt: 'document_start', persistAcrossSessions: false } as const
  const scripts = [
    { ...common, id: `hook ${origin}`, js: isForked ? ['forked.js', 'hook.js'] : ['hook.js'], world: 'MAIN' },
    { ...common, id: `bridge ${origin}`, js: ['bridge.js'], world: 'ISOLATED' },
  ] as const
  const registered = await chrome.scripting.getRegisteredContentScripts()
  const ids = scripts.map(({ id }) => id).filter((id) => registered.some((script) => script.id === id))
  if (ids.length > 0) await chrome.scripting.unregisterContentScripts({ ids })
  await chrome.scripting.registerContentScripts(scripts)
}

/** Patterns have no port: all ports of a host are one site. */
export function patternOf(origin: string): string {
  const { protocol, hostname } = new URL(origin)
  return `${protocol}//${hostname}/*`
}
