/** What every runtime's HTTP server offers; adapters implement it. */
export interface HttpServer {
  /** Address and port that it listens on: the real port when 0 was asked for. */
  readonly host: string
  readonly port: number
  /** Takes no new connections, lets requests in progress finish for a while, then closes what is left. */
  close(): Promise<void>
}

export interface HttpServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
}
