/**
 * Addresses of the page's own workers, under its policy of trusted types.
 * @module
 */

/** A string to those who take one: the types of browsers do not know trusted types yet. */
interface ScriptPolicy {
  createScriptURL(name: string): string
}

interface ScriptPolicies {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy
}

/** Scripts that may run as a worker, by the place that they are at. */
const WORKERS: ReadonlyMap<string, URL> = new Map([
  // Beside this file.
  ['worker.js', new URL('./worker.js', import.meta.url)],
  // At the root, because it serves everything below its place.
  ['sw.js', new URL('./sw.js', document.baseURI)],
])

const rules: ScriptPolicy = {
  createScriptURL(name) {
    const url = WORKERS.get(name)
    if (url === undefined) throw new TypeError(`${name} is no worker of this page`)
    return url.href
  },
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: ScriptPolicies }
/** The policy of the page names it. */
const policy: ScriptPolicy = trustedTypes?.createPolicy('isonode', rules) ?? rules

/** @throws {TypeError} for another script */
export function scriptUrl(name: string): string {
  return policy.createScriptURL(name)
}
