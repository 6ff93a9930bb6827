/**
 * What differs between the runtimes that have Node's modules: Node, Deno and Bun.
 * @module
 */
import type { HttpServer, HttpServerOptions } from '../../src/http/server.ts'
import type { IsoNode } from '../../src/node/node.ts'

export interface HttpOptions extends HttpServerOptions {
  readonly maxConnections: number
}

export interface Runtime {
  /** `node-v20.20.2`: shown in web3_clientVersion. */
  readonly name: string
  serve(node: IsoNode, options: HttpOptions): HttpServer | Promise<HttpServer>
}
