/** A page that looks for the extension, and writes what it finds into its text. */
export {}

const found: string[] = []
const { Error: NativeError, fetch: nativeFetch } = globalThis
const { includes, split } = String.prototype

/** Whether the hook itself, and not the wallet below it, has called the function that asks. */
function isCalledByHook(): boolean {
  const lines = Reflect.apply(split, new NativeError().stack ?? '', ['\n']) as string[]
  for (let i = 3; i < lines.length; i++) {
    const line = lines[i] as string
    if (Reflect.apply(includes, line, ['(<anonymous>)'])) continue
    return Reflect.apply(includes, line, ['chrome-extension:']) as boolean
  }
  return false
}

const spied: readonly (readonly [object, PropertyKey])[] = [
  [JSON, 'stringify'],
  [JSON, 'parse'],
  [Array.prototype, Symbol.iterator],
  [Array.prototype, 'push'],
  [Array.prototype, 'slice'],
  [Promise.prototype, 'then'],
  [Map.prototype, 'get'],
  [Map.prototype, 'set'],
  [WeakMap.prototype, 'get'],
  [WeakMap.prototype, 'set'],
  [MessagePort.prototype, 'postMessage'],
  [EventTarget.prototype, 'addEventListener'],
  [EventTarget.prototype, 'removeEventListener'],
  [Event.prototype, 'stopImmediatePropagation'],
  [performance, 'now'],
  [Date, 'now'],
  [Function.prototype, 'call'],
  [Function.prototype, 'apply'],
  [Reflect, 'get'],
  [Reflect, 'getOwnPropertyDescriptor'],
  [Reflect, 'defineProperty'],
]
const nativeApply = Reflect.apply
for (const [target, key] of [...spied]) {
  const original = Reflect.get(target, key) as () => unknown
  Object.defineProperty(target, key, {
    configurable: true,
    writable: true,
    value(this: unknown, ...args: never[]) {
      if (isCalledByHook()) found[found.length] = `the hook calls ${String(key)}`
      return nativeApply(original, this, args)
    },
  })
}
for (const name of ['has', 'ownKeys', 'getPrototypeOf', 'apply', 'kind', 'toJSON']) {
  Object.defineProperty(Object.prototype, name, {
    configurable: true,
    get() {
      if (isCalledByHook() && name !== 'toJSON') found[found.length] = `the hook reads ${name}`
      return undefined
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, name, { value, configurable: true, writable: true, enumerable: true })
    },
  })
}
const dataOf = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data')?.get as () => unknown
Object.defineProperty(MessageEvent.prototype, 'data', {
  configurable: true,
  get(this: MessageEvent) {
    if (isCalledByHook()) found[found.length] = 'the hook reads a message'
    return nativeApply(dataOf, this, [])
  },
})
/** The page sends itself one port. */
let ports = 0
addEventListener(
  'message',
  (event) => {
    ports += event.ports.length
    if (ports > 1) found[found.length] = 'a message has a port'
  },
  true,
)
Object.defineProperty(globalThis, 'Promise', { value: class {}, configurable: true })
Object.defineProperty(globalThis, 'Proxy', { value: class {}, configurable: true })
Object.defineProperty(globalThis, 'WeakMap', { value: class {}, configurable: true })

/** Pretends to be the extension. */
function shakeHands(): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    found[found.length] = 'the hook speaks to the page'
  }
  postMessage('isonode:link', '*', [port2])
  for (const kind of ['fork', 'back', 'ask', 'record']) postMessage(JSON.stringify({ kind, id: 1, isOn: false }), '*')
}

/** The extension's address is in the stack of an error that the wallet throws. */
async function reachExtension(): Promise<void> {
  const stack = await window.ethereum.request({ method: 'no_suchMethod' }).then(
    () => '',
    (error: Error) => error.stack ?? '',
  )
  const [address] = /chrome-extension:\/\/\w+/.exec(stack) ?? ['chrome-extension://none']
  const { runtime } = (globalThis as { readonly chrome?: { readonly runtime?: object } }).chrome ?? {}
  if (runtime !== undefined) found[found.length] = 'the page has chrome.runtime'
  for (const name of ['panel.html', 'hook.js', 'manifest.json']) {
    await nativeFetch(`${address}/${name}`).then(
      () => {
        found[found.length] = `the page reads ${name}`
      },
      () => {},
    )
  }
}

/** Announces itself, and asks more than anybody can look at. */
function flood(): void {
  const provider = { request: async ({ method }: { readonly method: string }) => method }
  const detail = { info: { uuid: '1', name: 'isonode\u202e', icon: '', rdns: '' }, provider }
  let seen = provider
  addEventListener('eip6963:announceProvider', (event) => {
    seen = (event as CustomEvent).detail.provider
  })
  dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  for (let i = 0; i < 3_000; i++) void seen.request({ method: `flood_${i}` })
}

async function attack(): Promise<void> {
  shakeHands()
  const chainId = await window.ethereum.request({ method: 'eth_chainId' })
  if (chainId !== '0x7a69') found[found.length] = `the wallet says ${String(chainId)}`
  await reachExtension()
  flood()
  setTimeout(() => {
    document.body.textContent = `found: ${found.join(', ')}.`
  }, 500)
}

void attack()
