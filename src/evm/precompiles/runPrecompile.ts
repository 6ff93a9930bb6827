/** @returns undefined when the call fails; otherwise the output, owned by the caller */
export type RunPrecompile = (input: Uint8Array) => Uint8Array | undefined
