/**
 * The producer of a chain.
 * @module
 */

import { KnownKeyAccounts } from '../dev/devAccounts.ts'
import { DevProducer } from '../dev/devProducer.ts'
import { DevTemplate } from '../dev/devTemplate.ts'
import { LocalDevChain } from '../dev/localDevChain.ts'
import type { ChainProducer, ProducerDeps } from './producerDeps.ts'

/** @throws {NodeError} INVALID_OPTION when the host cannot mine as the settings demand */
export async function createProducer(deps: ProducerDeps): Promise<ChainProducer> {
  if (deps.settings.isDev) return devProducer(deps)
  const { engineProducer } = await import('./producers.ts')
  return { producer: engineProducer(deps), dev: undefined }
}

function devProducer(deps: ProducerDeps): ChainProducer {
  const {
    chain,
    devWriter: writer,
    pool,
    states,
    clock,
    timers,
    yieldToHost,
    random,
    logger,
    settings,
    onSealed,
    onDerived,
  } = deps
  const { mode, continuesTime } = settings.sealing
  const template = new DevTemplate(settings.sealing, clock)
  if (continuesTime) template.clock.set(chain.head.header.timestamp)
  const producer = new DevProducer({
    chain,
    writer,
    pool,
    states,
    template,
    clock,
    timers,
    yieldToHost,
    logger: logger.child('producer'),
    mode,
    order: settings.sealing.order,
    reportsFailures: settings.failsOnRevert,
    onSealed,
    onDerived,
  })
  const accounts = new KnownKeyAccounts(deps.accounts, { clock, random }, settings.autoImpersonates)
  const { resetTime } = deps
  const devLogger = logger.child('dev')
  const parts = { chain, writer, pool, producer, accounts, random, logger: devLogger }
  const dev = new LocalDevChain({ ...parts, resetTime, continuesTime })
  return { producer, dev }
}
