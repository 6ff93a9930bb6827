/**
 * Keeps the files of the page in the browser, so that it works without a network after the first visit.
 * @module
 */
import { scriptUrl } from '../scriptUrl.ts'

/** Without it, as in a private window, the page only needs its server at each visit. */
export function keepFiles(): void {
  const { serviceWorker } = navigator as { readonly serviceWorker?: ServiceWorkerContainer }
  serviceWorker?.register(scriptUrl('sw.js'), { updateViaCache: 'none' }).catch((error: unknown) => {
    console.warn('The files of this page are not kept for visits without a network.', error)
  })
}
