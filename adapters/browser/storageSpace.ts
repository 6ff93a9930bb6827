/**
 * The space that the browser gives a web site.
 * @module
 */
import type { DatabaseSpace } from '../../src/base/ports/databaseInfo.ts'

/** Old browsers, and pages outside of secure contexts, lack it or a part of it. */
interface SiteStorage {
  estimate?(): Promise<{ readonly usage?: number; readonly quota?: number }>
  persisted?(): Promise<boolean>
  persist?(): Promise<boolean>
}

function siteStorage(): SiteStorage | undefined {
  return (globalThis as { readonly navigator?: { readonly storage?: SiteStorage } }).navigator?.storage
}

export async function measureSpace(): Promise<DatabaseSpace> {
  const storage = siteStorage()
  const [estimate, isPersisted] = await Promise.all([
    storage?.estimate?.().catch(() => undefined),
    storage?.persisted?.().catch(() => undefined),
  ])
  const { usage, quota } = estimate ?? {}
  const available = usage === undefined || quota === undefined ? undefined : Math.max(0, quota - usage)
  return { usage, available, isPersisted }
}

/** Asks the browser never to remove the data of this web site. It may ask its user. @returns whether it agreed */
export async function askForPersistence(): Promise<boolean> {
  return (
    (await siteStorage()
      ?.persist?.()
      .catch(() => false)) ?? false
  )
}
