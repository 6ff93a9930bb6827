import type { Tab } from '../../support/host/tab.ts'

/** Waits until a view shows its data. */
export async function settled(page: Tab): Promise<void> {
  await page.waitForFunction(() => {
    const main = document.querySelector('main')
    const isWaiting = main?.querySelector('[aria-busy="true"], .skeleton') ?? null
    return main?.querySelector('h1') != null && isWaiting === null
  })
}
