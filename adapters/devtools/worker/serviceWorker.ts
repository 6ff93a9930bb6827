/**
 * Answers from kept files. All files of a version are fetched at the first visit and compared with their hashes, so that
 * a page never gets files of two versions. A new version serves once no tab shows the old one.
 * @module
 */

/**
 * Places relative to the page, whose own is empty, with their hashes in the form of the attribute `integrity`. The build
 * writes them.
 */
declare const FILES: Readonly<Record<string, string>>
/** Hash of all files. */
declare const VERSION: string
declare const self: ServiceWorkerGlobalScope

/** Another name of the page. Some servers redirect it, and a redirected answer cannot be kept for the page. */
const INDEX = 'index.html'
const { scope } = self.registration
/** One origin may have the page at several places. */
const PREFIX = `isonode-devtools ${scope} `
const CACHE = PREFIX + VERSION

async function fetchAll(): Promise<void> {
  const requests = Object.entries(FILES).map(
    ([name, integrity]) => new Request(new URL(name, scope), { integrity, cache: 'no-cache' }),
  )
  const cache = await caches.open(CACHE)
  await cache.addAll(requests)
}

async function dropOthers(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE)
  await Promise.all(old.map((name) => caches.delete(name)))
  await self.clients.claim()
}

/** @returns undefined for what is no file of the page */
function nameOf({ method, url }: Request): string | undefined {
  const { origin, pathname } = new URL(url)
  const name = `${origin}${pathname}`.slice(scope.length)
  if (method !== 'GET' || !url.startsWith(scope)) return undefined
  if (name === INDEX) return ''
  return Object.hasOwn(FILES, name) ? name : undefined
}

async function answer(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(CACHE)
  return (await cache.match(new URL(name, scope))) ?? fetch(request)
}

self.addEventListener('install', (event) => event.waitUntil(fetchAll()))
self.addEventListener('activate', (event) => event.waitUntil(dropOthers()))
self.addEventListener('fetch', (event) => {
  const name = nameOf(event.request)
  if (name !== undefined) event.respondWith(answer(event.request, name))
})
