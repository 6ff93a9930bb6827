/** Codes of errors that a wallet answers. @see EIP-1193; EIP-1474; EIP-3085 */
export const CODES = {
  refused: 4001,
  unauthorized: 4100,
  unsupported: 4200,
  disconnected: 4900,
  unknownChain: 4902,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  tooMany: -32005,
} as const

/** An error of EIP-1193. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: number

  constructor(code: keyof typeof CODES, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = CODES[code]
  }
}
