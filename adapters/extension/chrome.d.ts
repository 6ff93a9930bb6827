/** The parts of the extension API that Chromium and Firefox share, as far as they are used here. */
declare namespace chrome {
  interface Event<F extends (...args: never[]) => unknown> {
    addListener(listener: F): void
  }

  namespace runtime {
    interface Port {
      readonly name: string
      readonly sender?: {
        readonly tab?: { readonly id?: number; readonly url?: string }
        readonly frameId?: number
        readonly url?: string
        readonly origin?: string
      }
      readonly onMessage: Event<(message: unknown) => void>
      readonly onDisconnect: Event<() => void>
      postMessage(message: unknown): void
      disconnect(): void
    }
    const id: string
    const lastError: { readonly message?: string } | undefined
    const onConnect: Event<(port: Port) => void>
    function connect(info: { readonly name: string }): Port
    function getURL(path: string): string
  }

  namespace scripting {
    interface Script {
      readonly id: string
      readonly js: readonly string[]
      readonly matches: readonly string[]
      readonly runAt: 'document_start'
      readonly world: 'MAIN' | 'ISOLATED'
      readonly persistAcrossSessions: boolean
    }
    function registerContentScripts(scripts: readonly Script[]): Promise<void>
    function unregisterContentScripts(filter: { readonly ids: readonly string[] }): Promise<void>
    function getRegisteredContentScripts(): Promise<readonly Script[]>
  }

  namespace permissions {
    interface Origins {
      readonly origins: readonly string[]
    }
    function request(permissions: Origins): Promise<boolean>
    function contains(permissions: Origins): Promise<boolean>
  }

  /** Absent in Firefox. */
  const offscreen:
    | {
        createDocument(document: {
          readonly url: string
          readonly reasons: readonly string[]
          readonly justification: string
        }): Promise<void>
        closeDocument(): Promise<void>
        hasDocument(): Promise<boolean>
      }
    | undefined

  namespace action {
    const onClicked: Event<(tab: { readonly id?: number; readonly url?: string }) => void>
  }

  namespace tabs {
    function create(tab: { readonly url: string }): Promise<unknown>
    function reload(tabId: number): Promise<void>
  }

  /** Only in the developer tools. */
  const devtools:
    | {
        readonly inspectedWindow: {
          readonly tabId: number
          eval(code: string, done: (result: unknown) => void): void
          reload(): void
        }
        readonly network: { readonly onRequestFinished: Event<(entry: object) => void> }
        readonly panels: { create(title: string, icon: string, page: string): void }
      }
    | undefined
}
