/**
 * Tells the hook, which runs next, that the chain of this page is a fork.
 * @module
 */
Object.defineProperty(globalThis, 'isonodeForked', { value: true, configurable: true })
