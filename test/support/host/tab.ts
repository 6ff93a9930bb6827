/** A tab of any browser, as far as tests use it without knowing which one it is. */
export interface Tab {
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  evaluate(script: string): Promise<unknown>
  evaluate<R>(work: () => R | Promise<R>): Promise<R>
  /** @param given a value that can be sent as JSON */
  evaluate<R, A>(work: (given: A) => R | Promise<R>, given: A): Promise<R>
  waitForFunction(isTrue: () => boolean | Promise<boolean>): Promise<unknown>
  close(): Promise<void>
}

/** Opens tabs: a browser, or one of its profiles. */
export interface TabOpener<T extends Tab> {
  newPage(): Promise<T>
}
