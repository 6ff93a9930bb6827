export interface ErrorRow {
  readonly code: number
  readonly message: string
  /** Replacement in the profile `geth`; without a message, the message of the domain error is sent. */
  readonly geth?: { readonly code?: number; readonly message?: string }
  /** Kind of the error's data: revert output, text, or a {@link TransactionFailure}. */
  readonly data?: 'revert' | 'text' | 'failure'
  /** Whether the error is logged because the node is at fault, not the request. */
  readonly isLogged?: boolean
}
