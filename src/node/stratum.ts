/**
 * The Stratum server of a node.
 * @module
 */
import { NodeError } from '../base/primitives/errors.ts'
import type { BlockProduction } from './blockProduction.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { StratumSettings } from './settings/nodeSettings.ts'

export interface StratumPart extends Lifecycle {
  /** @throws {NodeError} LISTEN_FAILED */
  listen(): Promise<void>
}

/** @throws {NodeError} INVALID_OPTION when the chain is not mined, or the host has no sockets */
export async function openStratum(
  { tcp, clock, timers, random, logger }: NodeHost,
  { remote }: Pick<BlockProduction, 'remote'>,
  { host, port, extranonce }: StratumSettings,
): Promise<StratumPart> {
  if (remote === undefined) throw refused('the chain does not use proof of work')
  if (tcp === undefined) throw refused('this runtime has no sockets')
  const { StratumServer } = await import('../sealing/stratum/stratumServer.ts')
  const server = new StratumServer({
    tcp,
    address: { host, port },
    sealing: remote,
    extranonce,
    clock,
    timers,
    random,
    logger: logger.child('stratum'),
  })
  return {
    name: 'Stratum server',
    listen: async () => void (await server.listen()),
    stop: () => server.close(),
  }
}

function refused(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, `--miner-stratum-enabled cannot be used: ${reason}`)
}
