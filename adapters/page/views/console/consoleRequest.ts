export interface ConsoleRequest {
  readonly method: string
  readonly params: readonly unknown[]
}
