/** Sends one request and gives its result, whose type is the one that the method documents; it is not checked. */
export type Ask = <R>(method: string, ...params: readonly unknown[]) => Promise<R>
